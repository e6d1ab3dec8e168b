#include "golden/order_book.hpp"

namespace gsu {

bool waitsForPosted(const SyncRequest& r) noexcept
{
    const bool release = r.sem == Sem::Release || r.sem == Sem::AcqRel;
    const bool wide = r.scope == Scope::Cluster || r.scope == Scope::Gpu || r.scope == Scope::Sys;
    switch (r.op) {
        case Op::ClusterArrive:
        case Op::MbarArrive:
        case Op::MbarArriveExpectTx:
        case Op::MbarArriveDrop:
        case Op::MbarDropExpectTx: return release && wide;
        default: return false;
    }
}

}  // namespace gsu
