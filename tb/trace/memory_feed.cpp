#include "trace/memory_feed.hpp"

#include <filesystem>

#include "base/input_error.hpp"

namespace gsu::trace {

namespace {

const std::string& regular(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        throw InputError(path, "accesses are read from a regular file, twice");
    return path;
}

bool isOutcome(const Record& record)
{
    return std::visit([]<class R>(const R&) { return std::is_constructible_v<Outcome, R>; },
                      record);
}

}  // namespace

MemoryFeed::MemoryFeed(const Program& program, Taker taker)
    : reader_(regular(program.path)), taker_(std::move(taker))
{
    if (!(reader_.header() == program.header)) reader_.fail("the trace has changed meanwhile");
}

/// Advances to the next record of memory; false: there is none.
bool MemoryFeed::ready()
{
    while (!held_ && !ended_) {
        if (!reader_.next(record_)) {
            ended_ = true;
            break;
        }
        number_ = read_++;
        if (const auto* memory = std::get_if<MemoryRecord>(&record_)) {
            held_ = true;
            cycle_ += memory->dt;
        } else if (isOutcome(record_)) {
            ++outcomes_;
        }
    }
    return held_;
}

void MemoryFeed::give(std::uint64_t before, Cycle cycle, std::size_t outcomes)
{
    while (ready()) {
        if (number_ >= before || cycle_ > cycle || outcomes_ > outcomes) return;
        held_ = false;
        taker_(std::get<MemoryRecord>(record_).text, cycle_, reader_.line());
    }
}

}  // namespace gsu::trace
