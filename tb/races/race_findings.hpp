/// Races as findings: one for each kind and pair of lines, with a count.
#pragma once
#include <string>

#include "races/detector_state.hpp"

namespace gsu::races {

/// What would have ordered two accesses (the words of RaceFacts::missing).
struct Missing {
    std::vector<const char*> links;
    const char* scope{""};
};

/// The memory that a race is about.
struct Where {
    const CtaState* owner{};  ///< of shared memory; nullptr: global
    const char* space{""};
    std::uint64_t at{};  ///< of the block that a record's bytes lie in
};

class RaceFindings {
public:
    explicit RaceFindings(const DetectorState& world) noexcept : state_(world) {}
    void race(const char* rule, const Record& old, const Record& now, const Where& where,
              const Missing& missing, Cycle cycle);
    /// About one access, or an mbarrier's init and its use.
    void lifetime(const std::optional<Stamp>& init, const Record& use, const Where& where,
                  const Missing& missing, Cycle cycle, const std::string& what);
    /// Of a rule that is no race.
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
