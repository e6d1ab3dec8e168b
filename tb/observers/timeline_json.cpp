// The timeline as Chrome's JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/atomic_file.hpp"
#include "observers/timeline_sink.hpp"

namespace gsu::timeline {

namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;

std::string quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Chrome's unit is the microsecond.
std::string time(Cycle cycle) { return fmt::format("{}.{:03}", cycle / 1000, cycle % 1000); }

std::string objectOf(Args args)
{
    std::string text;
    for (const Arg& a : args) {
        if (!text.empty()) text += ',';
        text += '"' + std::string(a.key) + "\":";
        const auto* number = std::get_if<std::int64_t>(&a.value);
        text +=
            number != nullptr ? std::to_string(*number) : quoted(std::get<std::string>(a.value));
    }
    return '{' + text + '}';
}

class JsonSink final : public Sink {
public:
    JsonSink(const std::string& path, const std::string& title) : file_(path)
    {
        buffer_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":" + quoted(title) +
                  ",\"clock\":\"1 RTL clock = 1 ns\"},\"traceEvents\":[\n";
    }

    void process(unsigned pid, const std::string& name) override
    {
        label("process_name", {pid, 0}, name);
        event(fmt::format(
            R"("ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}})",
            pid, pid));
    }
    void track(Track t, const std::string& name) override
    {
        label("thread_name", t, name);
        event(fmt::format(
            R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})",
            t.pid, t.tid, t.tid));
    }
    void slice(Track t, Cycle from, Cycle to, const std::string& name, Args args) override
    {
        event(fmt::format(
            R"("ph":"X","name":{},"cat":"sync","pid":{},"tid":{},"ts":{},"dur":{},"args":{})",
            quoted(name), t.pid, t.tid, time(from), time(to - from), objectOf(args)));
    }
    void instant(Track t, Cycle at, const char* category, const std::string& name, Args args,
                 bool whole) override
    {
        event(fmt::format(
            R"("ph":"i","name":{},"cat":"{}","s":"{}","pid":{},"tid":{},"ts":{},"args":{})",
            quoted(name), category, whole ? 'p' : 't', t.pid, t.tid, time(at), objectOf(args)));
    }
    void flow(bool begins, std::uint64_t id, Track t, Cycle at, const char* name) override
    {
        event(fmt::format(
            R"("ph":"{}",{}"name":"{}","cat":"flow","id":{},"pid":{},"tid":{},"ts":{})",
            begins ? 's' : 'f', begins ? "" : R"("bp":"e",)", name, id, t.pid, t.tid, time(at)));
    }
    void finish() override
    {
        buffer_ += "\n]}\n";
        file_.write(buffer_);
        buffer_.clear();
        file_.commit();
    }

private:
    void label(const char* what, Track t, const std::string& text)
    {
        event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}})", what,
                          t.pid, t.tid, quoted(text)));
    }
    void event(const std::string& fields)
    {
        if (any_) buffer_ += ",\n";
        any_ = true;
        buffer_ += '{' + fields + '}';
        if (buffer_.size() < kFlushAt) return;
        file_.write(buffer_);
        buffer_.clear();
    }

    AtomicFile file_;
    std::string buffer_;
    bool any_{};
};

}  // namespace

std::unique_ptr<Sink> jsonSink(const std::string& path, const std::string& title)
{
    return std::make_unique<JsonSink>(path, title);
}

std::unique_ptr<Sink> openSink(const std::string& path, const std::string& title)
{
    constexpr std::string_view kJson = ".json";
    const bool json = path.size() >= kJson.size() &&
                      path.compare(path.size() - kJson.size(), kJson.size(), kJson) == 0;
    return json ? jsonSink(path, title) : perfettoSink(path, title);
}

}  // namespace gsu::timeline
