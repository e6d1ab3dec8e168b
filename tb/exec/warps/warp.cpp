#include "exec/warps/warp.hpp"

namespace gsu::exec {

void Warp::renew()
{
    groups.clear();
    regs.clear();
    preds.clear();
    local.clear();
    Warp fresh;
    std::swap(fresh.groups, groups);
    std::swap(fresh.regs, regs);
    std::swap(fresh.preds, preds);
    std::swap(fresh.local, local);
    *this = std::move(fresh);
}

void Cta::renew()
{
    for (Warp& warp : warps) warp.renew();
    Cta fresh;
    std::swap(fresh.warps, warps);
    *this = std::move(fresh);
}

}  // namespace gsu::exec
