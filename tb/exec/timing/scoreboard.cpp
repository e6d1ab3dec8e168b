#include "exec/timing/scoreboard.hpp"

namespace gsu::timing {

Scoreboard::Entry& Scoreboard::added(Register r)
{
    constexpr std::size_t kRoom = 32;
    std::vector<Entry>& list = entries_[r / kPredicate];
    list.resize(r % kPredicate + kRoom);
    return list[r % kPredicate];
}

Wait Scoreboard::ready(std::span<const Register> reads,
                       std::span<const Register> writes) const noexcept
{
    Wait wait;
    for (const Register r : reads) {
        if (const Entry* e = find(r)) wait.later({e->ready, e->cause});
    }
    for (const Register r : writes) {
        const Entry* e = find(r);
        if (e == nullptr) continue;
        // The arithmetic pipes end in the order in which they begin; loads and the like do not.
        if (e->cause != Stall::Fixed) wait.later({e->ready, e->cause});
        wait.later({e->readAt, Stall::Fixed});
    }
    return wait;
}

void Scoreboard::read(std::span<const Register> registers, Cycle issued)
{
    for (const Register r : registers) {
        Entry& e = at(r);
        e.readAt = std::max(e.readAt, issued + 1);
    }
}

void Scoreboard::write(std::span<const Register> registers, Cycle ready, Stall cause)
{
    for (const Register r : registers) {
        Entry& e = at(r);
        e.ready = ready;
        e.cause = cause;
        ++e.writes;
    }
    if (cause != Stall::Fixed) last_.later({ready, cause});
}

std::uint64_t Scoreboard::version(Register r) const noexcept
{
    const Entry* e = find(r);
    return e == nullptr ? 0 : e->writes;
}

}  // namespace gsu::timing
