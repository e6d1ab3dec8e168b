/// The events of a timeline in Perfetto's format, in the form of Chrome's JSON (one clock: 0.001), for tests. tests/timeline compares the same with Perfetto's
/// own classes.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace timelines {

using nlohmann::json;

struct Field {
    unsigned number{};
    std::uint64_t value{};
    std::string_view bytes;
};

inline std::uint64_t varint(std::string_view& data)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (data.empty()) throw std::runtime_error("a timeline is cut off");
        const auto byte = static_cast<unsigned char>(data.front());
        data.remove_prefix(1);
        value |= std::uint64_t{byte & 127u} << shift;
        if (byte < 128) return value;
    }
}

inline std::vector<Field> fieldsOf(std::string_view data)
{
    std::vector<Field> fields;
    while (!data.empty()) {
        const std::uint64_t key = varint(data);
        Field f{static_cast<unsigned>(key >> 3), 0, {}};
        if ((key & 7) == 0) f.value = varint(data);
        const std::size_t size = (key & 7) == 1 ? 8 : (key & 7) == 2 ? varint(data) : 0;
        if (size > data.size() || (key & 7) > 2) throw std::runtime_error("a timeline is damaged");
        f.bytes = data.substr(0, size);
        if ((key & 7) == 1)
            for (unsigned i = 0; i < 8; ++i)
                f.value |= std::uint64_t{static_cast<unsigned char>(f.bytes[i])} << 8 * i;
        data.remove_prefix(size);
        fields.push_back(f);
    }
    return fields;
}

/// By number; the last of each.
inline std::map<unsigned, Field> messageOf(std::string_view data)
{
    std::map<unsigned, Field> all;
    for (const Field& f : fieldsOf(data)) all[f.number] = f;
    return all;
}

class Reader {
public:
    explicit Reader(const std::string& file)
    {
        for (const Field& packet : fieldsOf(file)) {
            const auto block = messageOf(packet.bytes).at(50).bytes;
            std::string plain(std::size_t{1} << 24, '\0');
            uLongf size = plain.size();
            if (::uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                             reinterpret_cast<const Bytef*>(block.data()), block.size()) != Z_OK)
                throw std::runtime_error("a block of a timeline cannot be inflated");
            plain.resize(size);
            for (const Field& one : fieldsOf(plain)) take(messageOf(one.bytes));
        }
        if (!open_.empty()) throw std::runtime_error("a slice is never closed");
    }
    json events = json::array();

private:
    using Message = std::map<unsigned, Field>;
    void take(const Message& packet)
    {
        if (packet.count(12) != 0)
            for (const Field& f : fieldsOf(packet.at(12).bytes)) {
                const auto text = messageOf(f.bytes);
                texts_[f.number][text.at(1).value] = text.at(2).bytes;
            }
        if (packet.count(60) != 0) describe(messageOf(packet.at(60).bytes));
        if (packet.count(11) != 0) event(packet.at(11).bytes, double(packet.at(8).value) / 1000);
    }
    void describe(const Message& d)
    {
        if (d.count(3) != 0) {
            const auto process = messageOf(d.at(3).bytes);
            tracks_[d.at(1).value] = {process.at(1).value, 0};
            label("process_name", process.at(1).value, 0, process.at(6).bytes);
        } else {
            tracks_[d.at(1).value] = {d.at(5).value, d.at(12).value};
            label("thread_name", d.at(5).value, d.at(12).value, d.at(2).bytes);
        }
    }
    void label(const char* what, std::uint64_t pid, std::uint64_t tid, std::string_view name)
    {
        events.push_back(
            {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}});
    }
    void event(std::string_view data, double at)
    {
        const Message e = messageOf(data);
        const std::uint64_t uuid = e.at(11).value, type = e.at(9).value;
        if (type == 2) {
            json slice = open_.at(uuid);
            open_.erase(uuid);
            slice["dur"] = at - slice["ts"].get<double>();
            events.push_back(slice);
            return;
        }
        const auto [pid, tid] = tracks_.at(uuid);
        if (type == 4) {
            events.push_back({{"ph", "C"},
                              {"pid", pid},
                              {"tid", tid},
                              {"ts", at},
                              {"name", "counter"},
                              {"args", {{"value", e.at(30).value}}}});
            return;
        }
        json one{{"ph", type == 1 ? "X" : "i"}, {"pid", pid}, {"tid", tid}, {"ts", at}};
        one["name"] = e.count(23) != 0 ? std::string(e.at(23).bytes) : texts_[2].at(e.at(10).value);
        one["cat"] = texts_[1].at(e.at(3).value);
        one["args"] = json::object();
        for (const Field& f : fieldsOf(data))
            if (f.number == 4) annotate(one["args"], messageOf(f.bytes));
        if (e.count(47) != 0) one["ph"] = "s", one["id"] = e.at(47).value;
        if (e.count(48) != 0) one["ph"] = "f", one["id"] = e.at(48).value;
        if (type == 1) {
            if (!open_.emplace(uuid, one).second)
                throw std::runtime_error("slices of one track overlap");
        } else {
            events.push_back(one);
        }
    }
    void annotate(json& args, const Message& a)
    {
        json& to = args[texts_[3].at(a.at(1).value)];
        if (a.count(4) != 0)
            to = static_cast<std::int64_t>(a.at(4).value);
        else
            to = a.count(17) != 0 ? texts_[29].at(a.at(17).value) : std::string(a.at(6).bytes);
    }

    std::map<unsigned, std::map<std::uint64_t, std::string>> texts_;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> tracks_;
    std::map<std::uint64_t, json> open_;
};

[[nodiscard]] inline json eventsOf(const std::string& file) { return Reader(file).events; }

}  // namespace timelines
