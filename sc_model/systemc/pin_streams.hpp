/// Inputs that wait for the pins of one SM of PinPort; private to pin_port.cpp.
#pragma once
#include <array>
#include <deque>
#include <vector>

#include "systemc/pin_values.hpp"
#include "verilated/access_queue.hpp"

namespace gsu {

inline constexpr unsigned kAddressBits = 18;  ///< of shared memory on the snoop pins
inline constexpr std::uint64_t kBeforeStart =
    (std::uint64_t{1} << kTimeW) - 1;  ///< the cycle before 0

/// A queue in front of a valid/ready port of one SM.
template <typename T> struct Stream {
    std::deque<T> waiting;
    [[nodiscard]] bool busy() const noexcept { return !waiting.empty(); }
    /// Drives payload and the valid bit. Returns true if the port takes it at the coming edge.
    bool drive(unsigned sm, auto& payload, std::uint32_t& valid, std::uint32_t ready,
               bool allowed = true)
    {
        if (waiting.empty() || !allowed) return false;
        pins::write(payload, waiting.front());
        valid |= 1u << sm;
        return (ready >> sm & 1) != 0;
    }
};

struct SmStreams {
    Stream<raw::SyncReq> requests;
    Stream<raw::OpndBeat> operands;
    Stream<raw::Launch> launches;
    Stream<raw::Exit> exits;
    Stream<raw::Async> updates;
    AccessQueue accesses;  ///< accesses; requests wait for accesses that were announced before them
    std::deque<raw::ClcRsp> answers;  ///< pulses, one a cycle
    std::array<std::uint8_t, kMaxCtas> warpBases{};
    std::deque<std::uint32_t> snoops;
    std::array<std::uint32_t, kMaxCtas> bases{};  ///< first warp slots of the CTAs launched last
    std::vector<bool> barrier;  ///< per word: whether a request or completion ever named it
    bool requestTaken{}, operandTaken{}, launchTaken{}, exitTaken{}, updateTaken{}, accessTaken{};

    [[nodiscard]] bool busy() const noexcept
    {
        return requests.busy() || operands.busy() || launches.busy() || exits.busy() ||
               updates.busy() || !accesses.empty() || !snoops.empty() || !answers.empty();
    }
    /// Marks the word of a barrier. `address` is {rank, offset}; the CTA of the rank does not matter: too many words are marked, never too few.
    void mark(std::uint32_t address)
    {
        for (const std::uint32_t base : bases)
            barrier[(base + clusterOffset(address)) / 8 % barrier.size()] = true;
    }
    /// Drives payload and the valid bit of accesses. Returns true if the coming edge takes the last announcement.
    bool driveAccesses(unsigned sm, auto& payload, std::uint32_t& valid, std::uint32_t ready,
                       std::uint32_t room)
    {
        const raw::Wr* offered = accesses.empty() ? nullptr : accesses.offer((room >> sm & 1) != 0);
        if (offered != nullptr) {
            pins::write(payload, *offered);
            valid |= 1u << sm;
        }
        accessTaken = offered != nullptr && (ready >> sm & 1) != 0;
        return accesses.told(accessTaken && !offered->performed);
    }
    void retire()
    {
        if (requestTaken) requests.waiting.pop_front();
        if (operandTaken) operands.waiting.pop_front();
        if (launchTaken) launches.waiting.pop_front();
        if (exitTaken) exits.waiting.pop_front();
        if (updateTaken) updates.waiting.pop_front();
        if (accessTaken) accesses.pop();
    }
};

template <typename T> using Wires = sc_core::sc_vector<sc_core::sc_signal<T>>;

}  // namespace gsu
