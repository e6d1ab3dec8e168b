#include "exec/state/grid_side.hpp"

namespace gsu::exec {

void GridSide::give()
{
    if (!used_) return;
    if (!given_) {
        given_ = true;
        beforeGiven_ = before_;
        if (before_) port_.grid({.grid = kBefore});
        const unsigned elsewhere = before_ ? 1u << kBefore : 0;
        port_.grid({.grid = own_,
                    .ctas = ctas_,
                    .prereqs = static_cast<std::uint16_t>(prereqs_ | elsewhere)});
    }
    if (beforeGiven_ && !before_) {
        beforeGiven_ = false;
        port_.grid({.grid = kBefore, .ended = true});
    }
}

void GridSide::fewer(unsigned ctas)
{
    if (used_) port_.grid({.grid = own_, .ctas = ctas, .fewer = true});
}

}  // namespace gsu::exec
