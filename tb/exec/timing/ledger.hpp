/// Ledger: where the clocks of each warp role went. Every clock of a warp is charged to one cause, so the causes add up to its time.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

enum class Stall : std::uint8_t {
    Issue,         ///< an instruction of the warp issues, or its class holds the warp
    Slot,          ///< other warps had the scheduler or the pipe
    Fixed,         ///< a result of the arithmetic pipes
    Special,       ///< a result of ex2, rcp, popc, shfl
    SharedResult,  ///< a load from shared memory
    GlobalResult,  ///< a load or atomic that L1, L2 or HBM answer
    RemoteResult,  ///< a load from another CTA of the cluster
    MmaResult,     ///< a result of mma
    TensorPipe,    ///< a wait for wgmma or tcgen05, or their queue was full
    SharedPort,    ///< the port of shared memory
    Copies,        ///< a wait for cp.async or bulk groups
    Barrier,       ///< by line
    Mbarrier,      ///< by line
    Fence,         ///< a fence, and the accesses for which it had to wait
    Sleep          ///< nanosleep
};
inline constexpr unsigned kStalls = 15;
/// "issue", "tensor pipe", ...
[[nodiscard]] const char* nameOf(Stall cause) noexcept;

/// A constraint: not before `at`, because of `cause`.
struct Wait {
    Cycle at{};
    Stall cause{Stall::Issue};
    /// The later of the two counts; of equal ones the first.
    void later(Wait other) noexcept
    {
        if (other.at > at) *this = other;
    }
};

/// A Wait in one number: the later of two is the greater. Times are less than 2^56.
using PackedWait = std::uint64_t;
static_assert(kStalls <= 16);
[[nodiscard]] constexpr PackedWait packed(Cycle at, Stall cause) noexcept
{
    return at << 8 | static_cast<PackedWait>(cause);
}
/// Of equal times the one of the higher rank, 0..15, counts.
[[nodiscard]] constexpr PackedWait ranked(PackedWait wait, unsigned rank) noexcept
{
    return wait | PackedWait{rank} << 4;
}
[[nodiscard]] constexpr Wait unpacked(PackedWait wait) noexcept
{
    return {wait >> 8, static_cast<Stall>(wait & 15)};
}

/// How much of its time something that all warps share has been busy.
struct Utilisation {
    std::string server;
    double share{};  ///< 0..1
};

class Ledger {
public:
    /// Warps of an SM that do the same; the caller numbers them.
    struct Role {
        unsigned sm{}, role{};
        auto operator<=>(const Role&) const = default;
    };
    struct Account {
        std::array<Cycle, kStalls> clocks{};
        std::map<std::uint32_t, Cycle> barriers, mbarriers;  ///< by line of the PTX
        unsigned warps{};
        [[nodiscard]] Cycle total() const noexcept;
        /// `line`: of Barrier and Mbarrier.
        void charge(Stall cause, Cycle count, std::uint32_t line = 0);
    };

    /// A warp of the role more. The account stays where it is as long as the ledger lives.
    Account& enter(Role role)
    {
        Account& account = accounts_[role];
        ++account.warps;
        return account;
    }
    [[nodiscard]] const std::map<Role, Account>& accounts() const noexcept { return accounts_; }

    /// What bounds the kernel, as a sentence: the busiest server when it is busy for more than 60 % of the time, else what the warps wait for most.
    [[nodiscard]] std::string bound(const std::vector<Utilisation>& servers) const;

private:
    std::map<Role, Account> accounts_;
};

inline void Ledger::Account::charge(Stall cause, Cycle count, std::uint32_t line)
{
    clocks[static_cast<std::size_t>(cause)] += count;
    if (cause == Stall::Barrier) barriers[line] += count;
    if (cause == Stall::Mbarrier) mbarriers[line] += count;
}

}  // namespace gsu::timing
