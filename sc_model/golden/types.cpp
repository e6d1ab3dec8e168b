#include "golden/types.hpp"

namespace gsu {

const char* nameOf(Unit unit) noexcept
{
    switch (unit) {
        case Unit::Cta: return "cta";
        case Unit::Named: return "named";
        case Unit::WarpSync: return "warpsync";
        case Unit::Cluster: return "cluster";
        case Unit::Mbarrier: return "mbarrier";
        case Unit::Fence: return "fence";
        case Unit::Network: return "network";
        case Unit::Null: return "null";
        case Unit::Grid: return "grid";
    }
    return "?";
}

}  // namespace gsu
