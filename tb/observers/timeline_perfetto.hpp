/// The output of a timeline: Perfetto's binary format, in blocks as they come; the file appears under its name with finish(). Failures are
/// InputErrors. One RTL clock is one nanosecond. The format: protobuf messages TracePacket, TrackDescriptor and TrackEvent, repeated names
/// and texts interned, packets deflated a block at a time (TracePacket.compressed_packets).
///
/// A track of ours may have overlapping slices (lanes of a warp wait side by side); a track of Perfetto may not. Overlapping slices go to
/// further tracks of the same name and parent, which Perfetto shows as one. An end of an arrow is an instant of category "flow".
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/atomic_file.hpp"
#include "golden/types.hpp"

namespace gsu::timeline {

/// A row: `pid` groups rows, `tid` orders them.
struct Track {
    unsigned pid{}, tid{};
};

struct Arg {
    const char* key;
    std::variant<std::int64_t, std::string> value;
};
using Args = std::initializer_list<Arg>;

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

/// Interns texts of one kind: from its second use on a text has a number.
class Interner {
public:
    Interner(unsigned field, unsigned uses) : field_(field), uses_(uses) {}
    /// The number of a text; 0: write it in full. The first packet that uses a number defines it in `data`.
    std::uint64_t idOf(const std::string& text, Message& data);

private:
    struct Entry {
        std::uint64_t id{};
        unsigned uses{};
    };
    unsigned field_, uses_;
    std::uint64_t last_{};
    std::unordered_map<std::string, Entry> texts_;
};

class File {
public:
    File(const std::string& path, const std::string& title);

    void process(unsigned pid, const std::string& name);
    /// Names a track; once for each track, after its process.
    void track(Track t, const std::string& name) { rows_[keyOf(t)] = {name, {}, {}}; }
    void slice(Track t, Cycle from, Cycle to, const std::string& name, Args args);
    /// Adds an instant. `whole`: of the process, not of one track.
    void instant(Track t, Cycle at, const char* category, const std::string& name, Args args,
                 bool whole = false);
    /// Sets the value of a counter from this time on, on a track that has nothing else.
    void counter(Track t, Cycle at, std::int64_t value, const char* unit);
    /// Adds one end of an arrow: it leads from the begin of `id` to its end, in the slices of the tracks at those times.
    void flow(bool begins, std::uint64_t id, Track t, Cycle at, const char* name);
    void finish();
    /// Number of slices, instants and ends of arrows so far.
    [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

private:
    /// The tracks of Perfetto that show one track of ours.
    struct Rows {
        std::string name;
        std::vector<std::uint64_t> uuids;
        std::vector<Cycle> free;  ///< the last slice of each ends here
    };
    static std::uint64_t keyOf(Track t) { return std::uint64_t{t.pid} << 32 | t.tid; }
    std::uint64_t uuidOf(Track t, Rows& rows, std::size_t row, const char* unit = nullptr);
    void describe();
    void begin(unsigned type, std::uint64_t uuid);
    void begin(unsigned type, std::uint64_t uuid, const char* category, const std::string& name,
               Args args);
    void annotate(const Arg& arg);
    void end(Cycle at);
    void endPacket();
    void flush();

    AtomicFile file_;
    Message block_, packet_, event_, interned_, scratch_;
    Interner categories_, names_, keys_, strings_;
    std::unordered_map<std::uint64_t, Rows> rows_;
    std::uint64_t lastUuid_{1u << 10};  ///< numbers below are processes
    std::uint64_t events_{};
};

}  // namespace gsu::timeline
