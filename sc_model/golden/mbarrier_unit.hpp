/// The mbarrier objects of all SMs by address. The unit executes one lane's operation at a time (D-23), and refuses operations that may not
/// reach the object (D-38, D-42, D-66, D-72). It holds what is not in the word: whether an object is initialised (D-37), phases, states
/// (D-43), waits (D-44). Addresses are bytes in the SM's shared memory. State and no time: the order of the calls decides what happens
/// first (D-01).
#pragma once
#include <functional>
#include <unordered_map>
#include <vector>

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "golden/types.hpp"

namespace gsu {

/// One lane's operation on one word.
struct MbarAccess {
    Op op{};
    std::uint64_t data{};  ///< count, bytes, state or parity
    bool noComplete{};
};
struct MbarDone {
    std::uint64_t word{};    ///< word after the operation
    std::uint64_t result{};  ///< state of an arrival
    std::uint16_t errs{};
    bool refused{}, flip{}, pred{};
};
/// Applies an operation to a word. Pure; waits change nothing. Pre: isMbarOp(access.op) or one of the two asynchronous events.
[[nodiscard]] MbarDone mbarApply(std::uint64_t word, const MbarAccess& access,
                                 MbarPolicy policy) noexcept;

/// True if the answer carries a state: not for the shared::cluster form, even to its own CTA (D-38).
[[nodiscard]] inline bool mbarKeepsState(const SyncRequest& r) noexcept
{
    return r.wantValue && !r.remote && isMbarArrive(r.op);
}

/// Target of one lane's operation.
struct MbarRoute {
    std::uint8_t rank{};
    std::uint32_t offset{};
    bool away{};           ///< to another CTA of the cluster
    std::uint16_t errs{};  ///< refused at its source
    /// an object of its own CTA by a cluster address in a local-only form: performed or refused (kMbErrRemoteForm)
    bool either{};
};
[[nodiscard]] MbarRoute mbarRoute(const SyncRequest& request, unsigned lane, const Launch& own,
                                  MbarPolicy policy) noexcept;
/// Errors of an offset at the owner (D-72).
[[nodiscard]] std::uint16_t mbarOffsetErrs(std::uint32_t offset, std::uint32_t size) noexcept;
/// Bytes of a response of try_cancel (CLC-006).
inline constexpr std::uint32_t kCancelBytes = 16;
/// The lowest lanes of `todo` with the same operation on the same object, up to the first that differs; for atom and red: consecutive lanes
/// to one CTA.
[[nodiscard]] Lanes mbarGroup(const SyncRequest& request, Lanes todo) noexcept;
/// Suspension of one lane's try_wait: the limit of the lane if the form has one, else `standard` (D-32).
[[nodiscard]] constexpr std::uint32_t mbarLimit(const SyncRequest& r, unsigned lane,
                                                std::uint32_t standard) noexcept
{
    return r.kind != 0 ? r.limit[lane] : standard;
}

class MbarrierUnit {
public:
    struct Object {
        std::uint64_t word{};
        bool known{};  ///< false: never seen, or overwritten by an ordinary store
        bool live{};
        /// somebody saw the preceding phase complete, or its absence was reported
        bool waited{true};
        std::uint64_t phase{};
        std::unordered_map<std::uint64_t, std::uint64_t> states;  ///< phase of each returned state
    };

    explicit MbarrierUnit(unsigned sms, MbarPolicy policy = {}) : policy_(policy), objects_(sms) {}

    [[nodiscard]] MbarPolicy policy() const noexcept { return policy_; }
    [[nodiscard]] Object& at(unsigned sm, std::uint32_t address) { return objects_[sm][address]; }
    /// Takes the result of mbarApply for one lane into the object; reports notes. `keeps`: the lane's state is delivered.
    void take(unsigned sm, std::uint32_t address, const MbarAccess& access, const MbarDone& done,
              bool keeps);
    /// A wait has returned true later than it was evaluated.
    void sawCompletion(unsigned sm, std::uint32_t address);
    void stored(unsigned sm, std::uint32_t address, std::uint32_t bytes);
    /// The CTA that owns [base, base + size) has ended.
    void end(unsigned sm, std::uint32_t base, std::uint32_t size);

    std::function<void(const MbarNote&)> onNote;  ///< optional

private:
    void note(MbarNote::Kind kind, unsigned sm, std::uint32_t address, Op op,
              const Object& o) const;
    void takeWait(unsigned sm, std::uint32_t address, const MbarAccess& access,
                  const MbarDone& done, Object& o);
    void takeInval(unsigned sm, std::uint32_t address, Object& o);

    MbarPolicy policy_;
    std::vector<std::unordered_map<std::uint32_t, Object>> objects_;
};

}  // namespace gsu
