/// Observer of tcgen05 in a launch: allocations, and operations that are performed. These do not pass the port.
#pragma once
#include <string>

#include "golden/types.hpp"

namespace gsu {

struct TensorActivity {
    enum class Kind : std::uint8_t {
        Multiply,  ///< from when the tensor core takes it until it is performed
        Copy,      ///< the same, of tcgen05.cp
        Shift,     ///< the same, of tcgen05.shift
        Load,      ///< from its issue
        Store,
        Commit,  ///< issued
        Grant,   ///< columns that were requested at `from`
        Columns  ///< held from the grant until they were freed, or their CTA ended
    } kind{};
    WarpRef at{};
    Cycle from{}, to{};
    Cycle busy{};          ///< clocks for which it occupies the tensor cores of its group, together
    std::string name{};    ///< "tcgen05.mma 128 x 64 x 16"
    std::uint32_t line{};  ///< PTX line
    unsigned column{}, columns{};
    unsigned taken{};  ///< of Grant: allocated columns of the SM
    bool waited{};     ///< of Grant: they were not free at once
};

class TensorObserver {
public:
    virtual ~TensorObserver() = default;
    virtual void onTensor(const TensorActivity& activity) = 0;
};

}  // namespace gsu
