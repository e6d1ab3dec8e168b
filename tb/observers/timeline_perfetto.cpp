// The timeline in Perfetto's binary format: protobuf messages TracePacket, TrackDescriptor and TrackEvent, names and texts that occur
// again interned, packets deflated a block at a time (TracePacket.compressed_packets).
//
// A track of ours may have slices that overlap (lanes of a warp wait one beside the other); a track of Perfetto may not. What overlaps goes to
// further tracks of the same name and parent, which Perfetto shows as one. An end of an arrow is an instant of category "flow".
#include <zlib.h>

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "observers/timeline_sink.hpp"

namespace gsu::timeline {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;       ///< bytes of packets deflated together
constexpr std::size_t kCandidates = std::size_t{1} << 16;  ///< texts remembered of each kind
constexpr int kLevel = 4;  ///< of deflate: more costs time and gains little

// Field numbers of perfetto/trace/*.proto.
namespace trace {
constexpr unsigned kPacket = 1;
}
namespace packet {
constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12, kFlags = 13,
                   kConfig = 33, kCompressed = 50, kDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace config {
constexpr unsigned kSessionName = 22;
}
namespace descriptor {
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kOrdering = 11, kRank = 12;
constexpr unsigned kPid = 1, kProcessName = 6;
constexpr std::uint64_t kExplicit = 3;
}  // namespace descriptor
namespace event {
constexpr unsigned kCategoryId = 3, kAnnotation = 4, kType = 9, kNameId = 10, kTrack = 11,
                   kName = 23, kFlow = 47, kFlowEnd = 48;
enum Type : std::uint8_t { Begin = 1, End = 2, Instant = 3 };
}  // namespace event
namespace annotation {
constexpr unsigned kNameId = 1, kInt = 4, kString = 6, kStringId = 17;
}
namespace interned {
constexpr unsigned kCategories = 1, kNames = 2, kAnnotationNames = 3, kStrings = 29;
constexpr unsigned kId = 1, kText = 2;
}  // namespace interned

/// Bytes of a protobuf message.
class Message {
public:
    void number(unsigned field, std::uint64_t value)
    {
        varint(field << 3);
        varint(value);
    }
    void fixed64(unsigned field, std::uint64_t value)
    {
        varint(field << 3 | 1);
        for (unsigned i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> 8 * i);
    }
    void text(unsigned field, std::string_view value)
    {
        varint(field << 3 | 2);
        varint(value.size());
        bytes_ += value;
    }
    void message(unsigned field, const Message& value) { text(field, value.bytes_); }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
    void clear() noexcept { bytes_.clear(); }

private:
    void varint(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

/// Texts of one kind: from its second use on a text has a number.
class Interner {
public:
    Interner(unsigned field, unsigned uses) : field_(field), uses_(uses) {}
    /// 0: write it in full. The first packet that uses a number defines it in `data`.
    std::uint64_t idOf(const std::string& text, Message& data)
    {
        const auto found = texts_.find(text);
        if (found == texts_.end() && texts_.size() >= kCandidates) return 0;
        Entry& e = found == texts_.end() ? texts_[text] : found->second;
        if (e.id != 0) return e.id;
        if (++e.uses < uses_) return 0;
        e.id = ++last_;
        Message one;
        one.number(interned::kId, e.id);
        one.text(interned::kText, text);
        data.message(field_, one);
        return e.id;
    }

private:
    struct Entry {
        std::uint64_t id{};
        unsigned uses{};
    };
    unsigned field_, uses_;
    std::uint64_t last_{};
    std::unordered_map<std::string, Entry> texts_;
};

class PerfettoSink final : public Sink {
public:
    PerfettoSink(const std::string& path, const std::string& title) : file_(path)
    {
        Message config;
        config.text(config::kSessionName, title);
        packet_.message(packet::kConfig, config);
        packet_.number(packet::kSequence, 1);
        packet_.number(packet::kFlags, packet::kStateCleared);
        endPacket();
    }

    void process(unsigned pid, const std::string& name) override
    {
        Message process;
        process.number(descriptor::kPid, pid);
        process.text(descriptor::kProcessName, name);
        event_.clear();
        event_.number(descriptor::kUuid, pid);
        event_.message(descriptor::kProcess, process);
        event_.number(descriptor::kOrdering, descriptor::kExplicit);
        event_.number(descriptor::kRank, pid);
        describe();
    }
    void track(Track t, const std::string& name) override { rows_[keyOf(t)] = {name, {}, {}}; }

    void slice(Track t, Cycle from, Cycle to, const std::string& name, Args args) override
    {
        Rows& rows = rows_[keyOf(t)];
        std::size_t row = 0;
        while (row < rows.free.size() && rows.free[row] > from) ++row;
        const std::uint64_t uuid = uuidOf(t, rows, row);
        rows.free[row] = to;
        begin(event::Begin, uuid, "sync", name, args);
        end(from);
        begin(event::End, uuid);
        end(to);
    }
    void instant(Track t, Cycle at, const char* category, const std::string& name, Args args,
                 bool whole) override
    {
        begin(event::Instant, whole ? t.pid : uuidOf(t, rows_[keyOf(t)], 0), category, name, args);
        end(at);
    }
    void flow(bool begins, std::uint64_t id, Track t, Cycle at, const char* name) override
    {
        begin(event::Instant, uuidOf(t, rows_[keyOf(t)], 0), "flow", name, {});
        event_.fixed64(begins ? event::kFlow : event::kFlowEnd, id);
        end(at);
    }
    void finish() override
    {
        flush();
        file_.commit();
    }

private:
    /// The tracks of Perfetto that are one of ours.
    struct Rows {
        std::string name;
        std::vector<std::uint64_t> uuids;
        std::vector<Cycle> free;  ///< the last slice of each ends here
    };
    static std::uint64_t keyOf(Track t) { return std::uint64_t{t.pid} << 32 | t.tid; }

    std::uint64_t uuidOf(Track t, Rows& rows, std::size_t row)
    {
        if (row < rows.uuids.size()) return rows.uuids[row];
        rows.uuids.push_back(++lastUuid_);
        rows.free.push_back(0);
        event_.clear();
        event_.number(descriptor::kUuid, lastUuid_);
        event_.number(descriptor::kParent, t.pid);
        event_.text(descriptor::kName, rows.name);
        event_.number(descriptor::kRank, t.tid);
        describe();
        return lastUuid_;
    }
    void describe()
    {
        packet_.message(packet::kDescriptor, event_);
        packet_.number(packet::kSequence, 1);
        endPacket();
    }

    void begin(event::Type type, std::uint64_t uuid)
    {
        event_.clear();
        interned_.clear();
        event_.number(event::kType, type);
        event_.number(event::kTrack, uuid);
    }
    void begin(event::Type type, std::uint64_t uuid, const char* category, const std::string& name,
               Args args)
    {
        begin(type, uuid);
        event_.number(event::kCategoryId, categories_.idOf(category, interned_));
        if (const std::uint64_t id = names_.idOf(name, interned_); id != 0) {
            event_.number(event::kNameId, id);
        } else {
            event_.text(event::kName, name);
        }
        for (const Arg& arg : args) annotate(arg);
    }
    void annotate(const Arg& arg)
    {
        scratch_.clear();
        scratch_.number(annotation::kNameId, keys_.idOf(arg.key, interned_));
        if (const auto* number = std::get_if<std::int64_t>(&arg.value)) {
            scratch_.number(annotation::kInt, static_cast<std::uint64_t>(*number));
        } else {
            const auto& text = std::get<std::string>(arg.value);
            if (const std::uint64_t id = strings_.idOf(text, interned_); id != 0) {
                scratch_.number(annotation::kStringId, id);
            } else {
                scratch_.text(annotation::kString, text);
            }
        }
        event_.message(event::kAnnotation, scratch_);
    }
    void end(Cycle at)
    {
        packet_.number(packet::kTimestamp, at);
        packet_.number(packet::kSequence, 1);
        packet_.number(packet::kFlags, packet::kNeedsState);
        if (!interned_.bytes().empty()) packet_.message(packet::kInterned, interned_);
        packet_.message(packet::kTrackEvent, event_);
        endPacket();
    }
    void endPacket()
    {
        block_.message(trace::kPacket, packet_);
        packet_.clear();
        if (block_.bytes().size() >= kBlock) flush();
    }
    void flush()
    {
        const std::string& plain = block_.bytes();
        uLongf size = ::compressBound(plain.size());
        std::string deflated(size, '\0');
        if (::compress2(reinterpret_cast<Bytef*>(deflated.data()), &size,
                        reinterpret_cast<const Bytef*>(plain.data()), plain.size(), kLevel) != Z_OK)
            throw InputError(file_.path(), 0, 0, "compressing failed");
        deflated.resize(size);
        Message inner, outer;
        inner.text(packet::kCompressed, deflated);
        outer.message(trace::kPacket, inner);
        file_.write(outer.bytes());
        block_.clear();
    }

    AtomicFile file_;
    Message block_, packet_, event_, interned_, scratch_;
    Interner categories_{interned::kCategories, 1}, names_{interned::kNames, 2},
        keys_{interned::kAnnotationNames, 1}, strings_{interned::kStrings, 2};
    std::unordered_map<std::uint64_t, Rows> rows_;
    std::uint64_t lastUuid_{1u << 10};  ///< below: processes
};

}  // namespace

std::unique_ptr<Sink> perfettoSink(const std::string& path, const std::string& title)
{
    return std::make_unique<PerfettoSink>(path, title);
}

}  // namespace gsu::timeline
