/// AckBook: acknowledgements that owners of remote operations have still to send to their sources (D-38, D-41, D-54). An operation on one
/// object of another CTA goes in one packet or several, with ascending lanes. Each packet is acknowledged once, after its last commit,
/// under its highest lane. So the highest lane of an operation is acknowledged last, exactly once. An acknowledgement names the epoch in
/// which the packet was counted, and whether it answers an atom. The CTA must have been in that epoch while the packet could leave.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/types.hpp"

namespace gsu::lockstep {

class AckBook {
public:
    explicit AckBook(unsigned sms) : sms_(sms) {}

    /// The lanes `lanes` of a request go to `owner`; `own`: without the network.
    void sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
              std::uint8_t owner, Op op, bool own = false);
    /// All lanes of the operation have been answered: it has left.
    void left(std::uint8_t sm, std::uint64_t id);
    /// Call around every step. epochOf(CTA) is the epoch in which packets are counted now.
    template <class EpochOf> void sample(EpochOf&& epochOf, bool after)
    {
        if (leaving_ == 0) return;
        for (std::uint8_t sm = 0; sm < sms_.size(); ++sm) {
            unsigned cta = kMaxCtas, epoch = 0;  // of the operation before: mostly of the same CTA
            for (Sent& s : sms_[sm]) {
                if (s.stage == Sent::Stage::Away) continue;
                if (std::exchange(cta, s.cta) != s.cta) epoch = epochOf(WarpRef{sm, s.cta, 0});
                s.epochs |= static_cast<std::uint8_t>(1u << epoch);
                if (!after || s.stage != Sent::Stage::Answered) continue;
                s.stage = Sent::Stage::Away;
                --leaving_;
            }
        }
    }
    /// The owner committed or refused these lanes, or they came back. For atom and red they are a packet, whose acknowledgement is missing
    /// from now on.
    void committed(std::uint8_t sm, std::uint64_t id, Lanes lanes);
    /// An operation came back undelivered: the network acknowledges it.
    void returned(std::uint8_t sm, std::uint64_t id);
    /// Checks an acknowledgement. Returns an empty text, or the error.
    [[nodiscard]] std::string acknowledged(const Commit& ack);
    /// An operation will not be sent any more.
    void withdrawn(std::uint8_t sm, std::uint64_t id);
    /// True if this CTA has operations, other than `except`, without their acknowledgements.
    [[nodiscard]] bool owed(const WarpRef& cta, std::span<const std::uint64_t> except) const;
    /// True if the last acknowledgement of this operation is missing.
    [[nodiscard]] bool owed(std::uint8_t sm, std::uint64_t id) const;
    [[nodiscard]] std::uint64_t debts() const noexcept { return debts_; }

private:
    struct Sent {
        std::uint64_t id{};
        std::uint8_t cta{}, owner{};
        std::uint16_t tag{};
        Lanes lanes{}, committed{}, missing{};  ///< missing: must be acknowledged under this lane
        enum class Stage : std::uint8_t { Leaving, Answered, Away } stage{};
        std::uint8_t epochs{};  ///< bit per epoch in which it may have left
        bool async{};
        bool reply{};    ///< answered by its acknowledgements: atom
        bool packets{};  ///< a commit is a packet: atom, red
        bool own{};      ///< to its own CTA, not through the network: try_cancel
        bool cancel{};   ///< try_cancel: it never comes back
        bool agent{};    ///< the operation comes back, or not, as a whole: it has one lane
        bool returned{};
    };
    std::vector<std::vector<Sent>> sms_;  ///< by source, in order
    std::uint64_t debts_{};
    std::uint32_t leaving_{};  ///< operations whose epoch is not settled
};

}  // namespace gsu::lockstep
