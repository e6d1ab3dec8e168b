/// atom and red on the shared memory of other CTAs: a request to the port for the lanes of an instruction, performed packet by packet when the port
/// delivers them (D-45). An atom's values reach its registers with the answer; a red is pending from its issue until it is performed, as a delayed
/// store is (tb/exec/memory.md). Rules: ATOM-005, ATOM-029, RED-008, CLU-016, D-61.
#pragma once
#include <array>
#include <unordered_map>

#include "exec/memory/memory.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

/// The atomic of the lanes of one instruction.
class RemoteAtomic {
public:
    RemoteAtomic(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept;
    /// Adds a lane. Pre: `place` is shared memory of another CTA, and no older access of the lane is pending there.
    void add(const Ctx& ctx, unsigned lane, const Place& place, std::uint64_t address);

private:
    friend class RemoteAtomics;
    struct Lane {
        CtaKey owner;
        std::uint32_t offset{};
        std::uint64_t address{};
        std::array<std::uint64_t, 4> operands{};
        std::array<std::uint64_t, 2> old{};
        std::uint64_t held{};  ///< name of a red in LateMemory
    };
    const MicroOp* op_;
    CtaKey issuer_;
    WarpRef at_;
    std::uint32_t regBase_;
    Lanes asked_, left_;  ///< all lanes, and undelivered ones
    std::array<Lane, 32> lane_{};
};

class RemoteAtomics {
public:
    /// All arguments must outlive it.
    RemoteAtomics(RunState& state, Memory& memory, const Residents& residents) noexcept
        : s_(state), memory_(memory), residents_(residents)
    {
    }

    /// Sends an atomic, whose request has this ChipLayout::packetName().
    void send(std::uint32_t packet, RemoteAtomic atomic)
    {
        open_.emplace(packet, std::move(atomic));
    }
    /// Whether an atomic of this name is in flight, or unanswered.
    [[nodiscard]] bool open(std::uint32_t packet) const { return open_.contains(packet); }
    /// Performs delivered lanes, in one step, or drops them; false: the tag is not of these.
    bool delivered(const Delivered& delivered);
    /// Takes the answer. The values of an atom go to the registers, 0 for dropped lanes; a red has left.
    void answered(Warp& warp, std::uint32_t packet);

private:
    void perform(RemoteAtomic& atomic, unsigned lane);

    RunState& s_;
    Memory& memory_;
    const Residents& residents_;
    std::unordered_map<std::uint32_t, RemoteAtomic> open_;  ///< by ChipLayout::packetName()
};

}  // namespace gsu::exec
