#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/hash.hpp"
#include "base/input_error.hpp"
#include "entries.hpp"
#include "golden/golden_port.hpp"
#include "trace/program.hpp"
#include "trace/reader.hpp"
#include "trace/record_text.hpp"
#include "trace/replayer.hpp"
#include "trace/writer.hpp"

namespace {

using namespace gsu::trace;

constexpr gsu::Cycle kCycles = 100'000;

/// A file in memory only.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view text) : fd_(::memfd_create("fuzz", 0))
    {
        gsu::fuzz::require(fd_ >= 0 &&
                               ::write(fd_, text.data(), text.size()) == ssize_t(text.size()),
                           "a file in memory can be written");
    }
    ~MemoryFile() { ::close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

/// Mutated bytes would rarely pass the hash of the footer: a last line "end " is replaced by the right one.
std::string withFooter(std::string_view input)
{
    std::string text(input);
    const std::size_t end = text.rfind("\nend ");
    if (end == std::string::npos) return text;
    text.resize(end + 1);
    std::size_t lines = 0;
    for (std::size_t at = text.find("\nbegin\n"); at != std::string::npos && at < text.size();
         at = text.find('\n', at + 1)) {
        ++lines;
    }
    char footer[64];
    std::snprintf(footer, sizeof footer, "end %zu 0x%016llx\n", lines < 2 ? 0 : lines - 2,
                  static_cast<unsigned long long>(gsu::fnv1a(text)));
    return text + footer;
}

void rewrite(const std::string& path)
{
    Reader reader(path);
    Record record;
    gsu::Cycle previous = 0;
    while (reader.next(record)) {
        std::string line, again;
        const gsu::Cycle before = previous;
        appendRecord(line, record, previous);
        Record second;
        gsu::Cycle readPrevious = before, writtenPrevious = before;
        Cursor cursor(line, path, 1);
        parseRecord(cursor, second, readPrevious);
        appendRecord(again, second, writtenPrevious);
        gsu::fuzz::require(line == again && previous == writtenPrevious,
                           "a record written is the record read");
    }
}

void replay(const Program& program, bool compare)
{
    gsu::GoldenPort port(program.header.sms);
    Replayer replayer(program, port, compare);
    const ReplayResult result = replayer.run(kCycles);
    gsu::fuzz::require(!result.fault, "the golden unit takes what a checked trace gives");
}

}  // namespace

void gsu::fuzz::trace(std::string_view input)
{
    const MemoryFile file(withFooter(input));
    try {
        rewrite(file.path());
        const Program program = Program::load(file.path());
        replay(program, program.header.answers);
        replay(program, false);
    } catch (const InputError& e) {
        require(!e.reason.empty(), "a refusal has a reason");
    }
}
