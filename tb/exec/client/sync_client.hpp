/// The executor's side of the port: tags, the queues to the port, open requests and their answers.
#pragma once
#include <optional>
#include <unordered_set>
#include <vector>

#include "exec/client/state_origins.hpp"
#include "exec/state/ring.hpp"
#include "exec/state/run_state.hpp"
#include "exec/warps/residents.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

/// The instruction that caused a commit.
struct Sender {
    Op op{Op::None};
    WarpRef at{};
    std::uint32_t linear{};  ///< linear index of the CTA in the grid
    std::uint32_t line{};

    /// Whether `commit` is the arrival of a packet of this instruction.
    [[nodiscard]] bool sent(Op commit) const noexcept
    {
        return op == commit ||
               (isMbarData(op) && (commit == Op::EvDelivered || commit == Op::EvAsyncCompleteTx));
    }
};

/// A request and its unanswered lanes.
struct OpenRequest {
    bool used{};
    bool queued{};  ///< not yet given to the port, which cannot answer it yet
    /// every lane that it meets has come: of the warp at a barrier, of its mask at a warp-wide operation
    bool joined{};
    /// it completed a meeting; other requests of that meeting are still to be answered under its tag
    bool answering{};
    /// a try_wait that has been unanswered for so long that its phase must be running
    bool suspended{};
    Cta* cta{};
    std::uint32_t linear{};  ///< linear index of the CTA in the grid
    std::uint8_t warp{};
    Lanes pending{};
    const SyncInfo* info{};
    std::uint32_t regBase{}, predBase{}, line{};
    Cycle presentedAt{};
    SyncRequest request;
    Sender posted;  ///< last instruction with this tag before, whose packet may still be in flight

    [[nodiscard]] Sender sender() const noexcept { return {request.op, request.at, linear, line}; }
};

class SyncClient {
public:
    /// Listener for the results of requests; it also answers queries about packets.
    class Listener {
    public:
        /// All lanes are answered; the tag is free again.
        virtual void onAnswered(Warp& warp, const SyncRequest& request) = 0;
        /// The data of st.async or red.async with this ChipLayout::packetName(), or the responses of these lanes of try_cancel, will not be
        /// delivered.
        virtual void onPacketRefused(std::uint32_t packet, Lanes lanes) = 0;
        /// Whether data of this ChipLayout::packetName() is still to be delivered.
        [[nodiscard]] virtual bool packetOpen(std::uint32_t packet) const = 0;
        /// The lanes of a request have been found waiting: other lanes that are held back for them may be needed.
        virtual void onSuspended(Warp& warp) = 0;

        /// A wait of these lanes on an mbarrier has found its phase complete.
        virtual void onWaited(const SyncRequest&, Lanes) {}
        /// PTX line of the instruction of a commit, if it is already answered; 0: not known.
        [[nodiscard]] virtual std::uint32_t lineOf(const Commit&) const { return 0; }
        /// The request is presented next.
        virtual void onPresent(const SyncRequest&) {}

    protected:
        ~Listener() = default;
    };

    SyncClient(RunState& state, const Residents& residents, Listener& listener);

    /// Queues a request of the warp's lanes in `group` and assigns its tag. Pre: none of the lanes has an open request.
    std::uint16_t submit(Warp& warp, const Group& group, const SyncRequest& request,
                         const SyncInfo& info, std::uint32_t line);
    /// Queues a completion.
    void update(const AsyncUpdate& what);
    /// Queues the answer to a query of try_cancel.
    void answer(const CancelAnswer& what);
    /// Gives the port the inputs that it takes in this cycle.
    void present();
    /// True if requests, completions or answers are queued.
    [[nodiscard]] bool queued() const noexcept { return queued_.any() || updating_.any(); }

    void onResponse(const SyncResponse& response);
    void onRelease(const Release& release);
    /// Takes a commit, only for reports: findings, and the words of barriers in a hang. The run does not depend on commits.
    void onCommit(const Commit& commit);
    /// Finds suspended waits.
    void watchWaits();
    /// The cycle of the next necessary call of watchWaits(); kNever: not before another request is presented.
    [[nodiscard]] Cycle nextWatch() { return waiting_.any() ? firstWatch() : kNever; }

    /// Whether all live lanes of the warp have come to the barrier of the request (bar, barrier.cluster), or it needs no others.
    [[nodiscard]] bool joined(const Warp& warp, const OpenRequest& open) const;

    /// The open request of the warp with a tag of Warp::openTags.
    [[nodiscard]] const OpenRequest& open(const Warp& warp, std::uint16_t tag) const noexcept
    {
        return sms_[warp.cta->launch.sm].open[tag];
    }
    /// Whether an arrive with noComplete returned this state, so that pending_count may be asked about it (MBPC-003, D-43: by value).
    [[nodiscard]] bool knowsState(std::uint64_t state) const
    {
        return states_.size() >= kMaxStates || states_.contains(state);
    }
    [[nodiscard]] const StateOrigins& states() const noexcept { return origins_; }
    /// PTX line of the first operation that the port has no unit for; 0: none so far.
    [[nodiscard]] std::uint32_t noUnitLine() const noexcept { return noUnitLine_; }

private:
    struct Sm {
        Ring<std::uint16_t> queue;  ///< tags of requests to be presented
        Ring<AsyncUpdate> updates;
        Ring<CancelAnswer> answers;
        std::vector<OpenRequest> open;  ///< by tag, including those of other launches
        Ring<std::uint16_t> waits;      ///< tags of try_waits of a part of a warp, oldest first
    };
    [[nodiscard]] Cycle firstWatch();
    [[nodiscard]] std::uint16_t takeTag(unsigned sm, bool packet, std::uint32_t line);
    [[noreturn]] void outOfTags(std::uint32_t line) const;
    void give(Warp& warp, OpenRequest& open, Lanes lanes, const SyncResponse& response);
    void answered(OpenRequest& open, Lanes lanes);
    void answerOthers(OpenRequest& open, Lanes lanes, const SyncResponse& response);
    void freeTag(OpenRequest& open);
    void release(Sm& sm, Warp& warp, const Release& release);
    void noteWord(const Commit& commit);
    void notePresented(Sm& sm, OpenRequest& open);
    void noteJoined(const Warp& warp, const SyncRequest& request);
    [[nodiscard]] bool stillWaits(const OpenRequest& open) const noexcept;
    [[nodiscard]] std::optional<Sender> senderOf(const Commit& commit) const;
    void remember(const Commit& commit, const std::optional<Sender>& from);
    [[nodiscard]] std::uint32_t lineOf(const Commit& commit) const;
    [[nodiscard]] std::uint32_t lastBytes(const Cta& cta, const MbarNote& note) const;
    void report(const Commit& commit, const std::optional<Sender>& from);

    /// Clocks after which an unanswered try_wait counts as suspended: several times what a busy unit needs.
    static constexpr Cycle kSuspended = 256;
    /// with this many states every state passes
    static constexpr std::size_t kMaxStates = 1u << 20;
    RunState& s_;
    const Residents& residents_;
    Listener& listener_;
    std::vector<Sm> sms_;
    /// SMs with something in Sm::queue, updates, waits.
    SmSet queued_, updating_, waiting_;
    std::unordered_set<std::uint64_t> states_;
    StateOrigins origins_;
    std::uint32_t noUnitLine_{};
};

}  // namespace gsu::exec
