/// What the lanes of a replay wait for at mbarriers: the last wait of each, while it has not come true, and the words of the objects.
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
    std::uint64_t word{};            ///< of the object at the end
    std::uint32_t line{}, source{};  ///< of the trace file, of the PTX
};

class WaitWatch {
public:
    explicit WaitWatch(std::size_t warps) : warps_(warps) {}

    /// The port takes step number `index`: its lanes wait no longer for what they asked before.
    void given(const Step& step, std::uint32_t index);
    void answered(const SyncResponse& response);
    void committed(const Commit& commit);
    /// "; mbarrier 0:64 (line 12): phase 0, ..." for what some of these lanes wait for; empty: for nothing.
    [[nodiscard]] std::string explain(const Program& program, WarpRef at, Lanes lanes) const;
    /// Waits that the words of now do not satisfy.
    [[nodiscard]] std::vector<OpenWait> finish(const Program& program) const;

private:
    struct Part {
        Lanes lanes{};
        std::uint32_t step{};
    };
    /// One per object and phase that lanes of `part` ask for.
    [[nodiscard]] std::vector<OpenWait> split(const Program& program, Part part, Lanes lanes) const;

    std::vector<std::vector<Part>> warps_;                    ///< by OpenTable::indexOf
    std::unordered_map<std::uint64_t, std::uint64_t> words_;  ///< by SM, CTA slot and offset
};

}  // namespace gsu::trace
