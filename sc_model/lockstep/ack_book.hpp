/// AckBook: the acknowledgements that owners of remote operations owe to their sources (D-38, D-41, D-54).
/// An operation for one object of another CTA goes in one packet or several, lanes ascending; each packet is acknowledged once, after
/// its last commit, under its highest lane. So the highest lane of every operation is acknowledged last, exactly once.
#pragma once
#include <string>
#include <vector>

#include "golden/types.hpp"

namespace gsu::lockstep {

class AckBook {
public:
    explicit AckBook(unsigned sms) : sms_(sms) {}

    /// `lanes` of a request go to `owner`; `each`: a packet a lane.
    void sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
              std::uint8_t owner, bool each);
    /// Lanes were committed or refused by their owner, or came back.
    void committed(std::uint8_t sm, std::uint64_t id, Lanes lanes);
    /// Empty, or what is wrong with this acknowledgement.
    [[nodiscard]] std::string acknowledged(const Commit& ack);
    /// Operations of this CTA without their acknowledgements.
    [[nodiscard]] bool owed(const WarpRef& cta) const;
    [[nodiscard]] std::uint64_t debts() const noexcept { return debts_; }

private:
    struct Sent {
        std::uint64_t id{};
        std::uint8_t cta{}, owner{};
        std::uint16_t tag{};
        Lanes lanes{}, committed{}, missing{};  ///< missing: must be acknowledged under this lane
    };
    std::vector<std::vector<Sent>> sms_;  ///< by source, in order
    std::uint64_t debts_{};
};

}  // namespace gsu::lockstep
