/// The features that a campaign has covered, which shows that each was exercised. Can be saved and continued.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "fuzz/shrink.hpp"

namespace gsu::fuzz {

class Summary {
public:
    void program(const ProgramPlan& plan, const Built& built);
    void run(const Case& what, const Outcome& outcome);
    [[nodiscard]] std::uint64_t count(const std::string& key) const;
    [[nodiscard]] std::string text() const;

    /// The counts as "key count" lines, and back. False for a malformed line.
    [[nodiscard]] std::string save() const;
    [[nodiscard]] bool loadLine(const std::string& line);

private:
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace gsu::fuzz
