/// Waits of the lanes of a replay at mbarriers: the last wait of each lane, while it has not come true, and the words of the objects.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "golden/types.hpp"
#include "trace/program.hpp"

namespace gsu::trace {

/// Lanes whose last record is a wait that never came true.
struct OpenWait {
    WarpRef at;
    Lanes lanes{};
    Op op{};
    std::uint32_t object{};          ///< {rank, offset}
    std::uint64_t word{};            ///< word of the object at the end
    std::uint32_t line{}, source{};  ///< line of the trace file, of the PTX
};

class WaitWatch {
public:
    explicit WaitWatch(std::size_t warps) : warps_(warps) {}

    /// The port takes step number `index`: the earlier waits of its lanes are over.
    void given(const Step& step, std::uint32_t index);
    void answered(const SyncResponse& response);
    void committed(const Commit& commit);
    /// "; mbarrier 0:64 (line 12): phase 0, ..." for the waits of some of these lanes; empty: none.
    [[nodiscard]] std::string explain(const Program& program, WarpRef at, Lanes lanes) const;
    /// Waits that the present words do not satisfy.
    [[nodiscard]] std::vector<OpenWait> finish(const Program& program) const;

private:
    struct Part {
        Lanes lanes{};
        std::uint32_t step{};
    };
    /// Splits a part: one wait per object and phase of its lanes.
    [[nodiscard]] std::vector<OpenWait> split(const Program& program, Part part, Lanes lanes) const;

    std::vector<std::vector<Part>> warps_;                    ///< by OpenTable::indexOf
    std::unordered_map<std::uint64_t, std::uint64_t> words_;  ///< by SM, CTA slot and offset
};

}  // namespace gsu::trace
