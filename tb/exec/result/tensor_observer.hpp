/// Observer of tcgen05 in a launch: allocations, and operations that are performed. These do not pass the port.
#pragma once
#include <string>

#include "golden/types.hpp"

namespace gsu {

struct TensorActivity {
    enum class Kind : std::uint8_t {
        Multiply,  ///< from when the tensor core takes it until it is performed
        Copy,      ///< likewise
        Shift,     ///< likewise
        Load,      ///< from its issue
        Store,
        Commit,  ///< issued
        Grant,   ///< of columns that were asked for at `from`
        Columns  ///< had from the grant until they were given back, or their CTA ended
    } kind{};
    WarpRef at{};
    Cycle from{}, to{};
    Cycle busy{};          ///< clocks for which it takes the tensor cores of its group, together
    std::string name{};    ///< "tcgen05.mma 128 x 64 x 16"
    std::uint32_t line{};  ///< of the PTX
    unsigned column{}, columns{};
    unsigned taken{};  ///< of Grant: columns of the SM that somebody has now
    bool waited{};     ///< of Grant: they were not free at once
};

class TensorObserver {
public:
    virtual ~TensorObserver() = default;
    virtual void onTensor(const TensorActivity& activity) = 0;
};

}  // namespace gsu
