/// Errors that the units find in the requests of a replay: rules of error bits, and findings of the golden mbarrier unit.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "golden/findings.hpp"
#include "golden/port_observer.hpp"

namespace gsu::cli {

class ReplayFindings final : public PortObserver {
public:
    explicit ReplayFindings(unsigned sms) : lines_(sms, std::vector<std::uint32_t>(4096)) {}

    /// Takes a finding, unless it is about a state operand: with other timing that may name other counts than recorded.
    void take(const MbarNote& note);
    void onRequest(Cycle cycle, const SyncRequest& request) override;
    void onCommit(const Commit& commit) override;

    /// Findings of the golden mbarrier unit, once per kind and object.
    [[nodiscard]] nlohmann::ordered_json json() const;
    /// Broken rules, once per rule, warp and PTX line.
    [[nodiscard]] nlohmann::ordered_json findingsJson() const;
    /// Both as text for people, of findings the first 16.
    [[nodiscard]] std::string text() const;

private:
    struct Found {
        FindingRule rule;
        Commit first;
        std::uint64_t count{};
    };
    static std::string textOf(MbarNote::Kind kind);

    std::vector<std::vector<std::uint32_t>> lines_;  ///< PTX line by SM and tag
    std::map<std::tuple<MbarNote::Kind, unsigned, std::uint32_t>, std::uint64_t> notes_;
    std::map<std::tuple<std::string, unsigned, unsigned, unsigned, std::uint32_t>, Found>
        found_;  ///< by rule, SM, CTA, warp, PTX line
};

}  // namespace gsu::cli
