/// What a timeline is written to: Chrome's JSON or Perfetto's binary format, chosen by the name of the file. Both are streamed and appear
/// under their name with finish(); failures are InputErrors. One RTL clock is one nanosecond.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <variant>

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

class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    virtual void process(unsigned pid, const std::string& name) = 0;
    /// Once for each track, after its process.
    virtual void track(Track track, const std::string& name) = 0;
    virtual void slice(Track track, Cycle from, Cycle to, const std::string& name, Args args) = 0;
    /// `whole`: of the process, not of one track.
    virtual void instant(Track track, Cycle at, const char* category, const std::string& name,
                         Args args, bool whole = false) = 0;
    /// One end of an arrow: it leads from where `id` begins to where it ends, in the slices of the tracks at that time.
    virtual void flow(bool begins, std::uint64_t id, Track track, Cycle at, const char* name) = 0;
    virtual void finish() = 0;
};

[[nodiscard]] std::unique_ptr<Sink> jsonSink(const std::string& path, const std::string& title);
[[nodiscard]] std::unique_ptr<Sink> perfettoSink(const std::string& path, const std::string& title);
/// JSON for names that end in ".json", else Perfetto's format.
[[nodiscard]] std::unique_ptr<Sink> openSink(const std::string& path, const std::string& title);

}  // namespace gsu::timeline
