/// AckBook: acknowledgements that owners of remote operations have still to send to their sources (D-38, D-41, D-54). An operation on one
/// object of another CTA goes in one packet or several, with ascending lanes. Each packet is acknowledged once, after its last commit,
/// under its highest lane. So the highest lane of an operation is acknowledged last, exactly once. An acknowledgement names the epoch in
/// which the packet was counted, and whether it answers an atom. The CTA must have been in that epoch while the packet could leave.
#pragma once
#include <array>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/types.hpp"

namespace gsu::lockstep {

class AckBook {
public:
    explicit AckBook(unsigned sms) : sms_(sms) {}

    /// The lanes `lanes` of a request go to `owner`; `own`: without the network. Pre: ids ascend.
    void sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
              std::uint8_t owner, Op op, bool own = false);
    /// All lanes of the operation have been answered: it has left.
    void left(std::uint8_t sm, std::uint64_t id);
    /// Call around every step. epochOf(CTA) is the epoch in which packets are counted now.
    template <class EpochOf> void sample(EpochOf&& epochOf, bool after)
    {
        if (leaving_ == 0) return;
        ++samples_;
        for (std::uint8_t sm = 0; sm < sms_.size(); ++sm) {
            Source& source = sms_[sm];
            for (std::uint32_t rest = source.leaving; rest != 0; rest &= rest - 1) {
                const auto cta = static_cast<std::uint8_t>(std::countr_zero(rest));
                source.ctas[cta].seen[epochOf(WarpRef{sm, cta, 0}) & 1] = samples_;
            }
        }
        if (after) settle();
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
        std::uint8_t epochs{};  ///< Stage::Away: bit per epoch in which it may have left
        std::uint64_t since{};  ///< samples before it was sent
        bool async{};
        bool reply{};    ///< answered by its acknowledgements: atom
        bool packets{};  ///< a commit is a packet: atom, red
        bool own{};      ///< to its own CTA, not through the network: try_cancel
        bool cancel{};   ///< try_cancel: it never comes back
        bool agent{};    ///< the operation comes back, or not, as a whole: it has one lane
        bool returned{};
    };
    /// A CTA of a source.
    struct Cta {
        std::array<std::uint64_t, 2>
            seen{};               ///< the last sample in each epoch, while `leaving` is not 0
        std::uint32_t leaving{};  ///< its operations whose epoch is not settled
    };
    struct Source {
        std::vector<Sent> sent;  ///< in order, which is that of the ids
        std::array<Cta, kMaxCtas> ctas;
        std::uint32_t leaving{};  ///< bit per CTA with such operations
    };
    /// Epochs in which the operation may have left.
    [[nodiscard]] static std::uint8_t epochsOf(const Source& source, const Sent& s) noexcept;
    /// Operations that were answered before this step have left: their epochs are known.
    void settle();
    /// Counts operations whose epoch is not settled.
    void count(Source& source, std::uint8_t cta, int by) noexcept;

    std::vector<Source> sms_;
    std::vector<std::pair<std::uint8_t, std::uint64_t>>
        answered_;  ///< Stage::Answered: source and id
    std::uint64_t debts_{}, samples_{};
    std::uint32_t leaving_{};  ///< operations whose epoch is not settled
};

}  // namespace gsu::lockstep
