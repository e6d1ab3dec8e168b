/// Races as findings: one for each kind and pair of lines, with a count.
#pragma once
#include <string>

#include "races/detector_state.hpp"

namespace gsu::races {

/// The link that would have ordered two accesses (the words of RaceFacts::missing).
struct Missing {
    std::vector<const char*> links;
    const char* scope{""};
};

/// The memory of a race.
struct Where {
    const CtaState* owner{};  ///< owner of shared memory; nullptr: global
    const char* space{""};
    std::uint64_t at{};  ///< address of the block with a record's bytes
};

class RaceFindings {
public:
    explicit RaceFindings(const DetectorState& world) noexcept : state_(world) {}
    void race(const char* rule, const Record& old, const Record& now, const Where& where,
              const Missing& missing, Cycle cycle);
    /// Reports a race-lifetime of one access, or of an mbarrier's init and its use.
    void lifetime(const std::optional<Stamp>& init, const Record& use, const Where& where,
                  const Missing& missing, Cycle cycle, const std::string& what);
    /// Reports a broken rule that is no race.
    void rule(Finding finding);
    [[nodiscard]] std::vector<Finding> take();
    Cycle now{};

private:
    using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;
    [[nodiscard]] RaceFacts::Agent agentOf(const Record& r, const ByteSet& bytes) const;
    [[nodiscard]] Finding* found(const char* rule, std::uint32_t a, std::uint32_t b,
                                 const Missing& missing);

    const DetectorState& state_;
    std::map<Key, std::size_t> index_;
    std::vector<Finding> all_;
};

}  // namespace gsu::races
