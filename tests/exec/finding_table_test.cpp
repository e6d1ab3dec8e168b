// The table of what the executor reports, against the rules that its sources name.
#include <filesystem>
#include <regex>
#include <set>

#include "catch.hpp"
#include "exec/result/finding_table.hpp"
#include "exec/tmem/rule.hpp"
#include "files.hpp"

TEST_CASE("every rule that the executor reports stands in its table, and no other")
{
    const std::regex literal(R"re("([A-Z][A-Z0-9]+-\d{3})")re");
    std::set<std::string> named, listed;
    const std::filesystem::path folder = testfiles::testsFolder() + "/../tb/exec";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".cpp" && ending != ".hpp") continue;
        const std::string text = testfiles::slurp(entry.path().string());
        for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
            named.insert((*at)[1].str());
    }
    CHECK(named.size() > 40);
    for (const gsu::tmem::RuleText& rule : gsu::tmem::ruleTexts()) named.insert(rule.id);
    for (const gsu::ExecFinding& f : gsu::execFindings()) {
        INFO(f.rule);
        CHECK(listed.insert(f.rule).second);
        CHECK(*listed.rbegin() == f.rule);  // ascending
    }
    for (const std::string& rule : named) {
        INFO(rule);
        CHECK(listed.contains(rule));
    }
    CHECK(named == listed);
}
