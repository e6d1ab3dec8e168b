#include "races/access_recorder.hpp"

#include <algorithm>
#include <utility>

namespace gsu::races {

AccessRecorder::AccessRecorder(trace::Writer& writer, const SyncPort& port,
                               const ModuleLines& lines)
    : writer_(writer), port_(port)
{
    for (std::string& text : textsOf(lines)) write(port.now(), std::move(text));
}

void AccessRecorder::write(Cycle cycle, std::string text)
{
    cycle = std::max(cycle, last_);
    writer_.write(trace::MemoryRecord{cycle - std::exchange(last_, cycle), std::move(text)});
}

void AccessRecorder::onAccess(const Access& access)
{
    const auto seen = [](const MemoryRange& r) { return r.bytes != 0; };
    if (std::any_of(access.range.begin(), access.range.end(), seen)) {
        std::string text;
        append(text, access);
        write(access.cycle, std::move(text));
    }
    if (next_ != nullptr) next_->onAccess(access);
}

void AccessRecorder::onAsync(const AsyncOp& op)
{
    for (std::string& text : textsOf(op)) write(op.cycle, std::move(text));
    if (next_ != nullptr) next_->onAsync(op);
}

void AccessRecorder::completes(std::uint64_t name)
{
    write(port_.now(), completionText(name));
    if (next_ != nullptr) next_->completes(name);
}

void AccessRecorder::onGroup(const GroupStep& step)
{
    std::string text;
    append(text, step);
    write(port_.now(), std::move(text));
    if (next_ != nullptr) next_->onGroup(step);
}

std::vector<Finding> AccessRecorder::takeFindings()
{
    return next_ == nullptr ? std::vector<Finding>{} : next_->takeFindings();
}

void AccessRecorder::onPlace(const Launch& launch, std::uint32_t linear)
{
    write(port_.now(), placeText(launch, linear));
}

}  // namespace gsu::races
