// Names, numbers, sizes and versions of the C ABI.
#include <regex>
#include <set>

#include "files.hpp"
#include "golden/types.hpp"
#include "unit.hpp"

namespace {

/// Numbers of one enumeration as the header's text has them.
std::set<int> numbersOf(const std::string& name)
{
    const std::string folder = testfiles::testsFolder() + "/../sc_model/capi/";
    const std::string text = testfiles::slurp(folder + "gsu_types.h") +
                             testfiles::slurp(folder + "gsu_state.h") +
                             testfiles::slurp(folder + "gsu_ops.h");
    const std::size_t from = text.find("enum " + name + " {");
    REQUIRE(from != std::string::npos);
    const std::string body = text.substr(from, text.find("};", from) - from);
    static const std::regex number("GSU_\\w+ =\\s*(-?\\d+)");
    std::set<int> found;
    for (std::sregex_iterator it(body.begin(), body.end(), number), end; it != end; ++it)
        found.insert(std::stoi((*it)[1]));
    return found;
}

template <typename Enum> std::set<int> numbersInLayout()
{
    std::set<int> found;
    for (int n = 0; n < 256; ++n)
        if (std::string(gsu::nameOf(Enum(n))) != "?") found.insert(n);
    return found;
}

}  // namespace

TEST_CASE("The C header has every number of the layout", "[capi]")
{
    std::set<int> ops = numbersInLayout<gsu::Op>();
    ops.erase(0);  // None is nothing a C program could ask for
    CHECK(numbersOf("gsu_op") == ops);
    CHECK(numbersOf("gsu_sem") == numbersInLayout<gsu::Sem>());
    CHECK(numbersOf("gsu_scope") == numbersInLayout<gsu::Scope>());
    CHECK(numbersOf("gsu_cause") == numbersInLayout<gsu::Cause>());
    CHECK(numbersOf("gsu_source") == numbersInLayout<gsu::Src>());
    CHECK(numbersOf("gsu_part") == numbersInLayout<gsu::Unit>());
    CHECK(numbersOf("gsu_severity") == std::set<int>{0, 1});
    CHECK(numbersOf("gsu_effect") == std::set<int>{0, 1, 2, 3});
    CHECK(numbersOf("gsu_barrier_mode") == std::set<int>{0, 1, 2});
    CHECK(numbersOf("gsu_event_kind") == std::set<int>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(numbersOf("gsu_event_mask") == std::set<int>{1, 2, 4, 8, 16, 32, 64, 128, 256});
    CHECK(numbersOf("gsu_grid_what") == std::set<int>{0, 1, 2});
    CHECK(numbersOf("gsu_async_kind") == numbersInLayout<gsu::AsyncKind>());
}

TEST_CASE("Names of the C library", "[capi]")
{
    CHECK(std::string(gsu_op_name(GSU_OP_BAR_SYNC)) == "BarSync");
    CHECK(std::string(gsu_cause_name(GSU_CAUSE_FLIP)) == "Flip");
    CHECK(std::string(gsu_source_name(GSU_SRC_TIMER)) == "Timer");
    CHECK(std::string(gsu_part_name(GSU_PART_MBARRIER)) == "mbarrier");
    CHECK(std::string(gsu_status_name(GSU_E_BUSY)) == "GSU_E_BUSY");
    for (const int status : numbersOf("gsu_error")) CHECK(gsu_status_name(status) != nullptr);
    for (const std::uint32_t none : {0u, 63u, 76u, 255u, 256u + GSU_OP_BAR_SYNC, ~0u})
        CHECK(gsu_op_name(none) == nullptr);
    for (const std::uint32_t none : {9u, 255u, 256u, ~0u}) {
        CHECK(gsu_cause_name(none) == nullptr);
        CHECK(gsu_source_name(none) == nullptr);
        CHECK(gsu_part_name(none) == nullptr);
    }
    CHECK(gsu_status_name(1) == nullptr);
}

TEST_CASE("Version of the C library", "[capi]")
{
    CHECK(gsu_abi_version() == GSU_ABI);
    CHECK(std::string(gsu_version()).find('.') != std::string::npos);
}
