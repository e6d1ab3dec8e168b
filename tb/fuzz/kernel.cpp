#include "fuzz/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gsu::fuzz {
namespace {

/// Beginnings of mnemonics that the summary counts.
constexpr std::array<std::string_view, 23> kCounted{
    "bar.",       "barrier.",   "mbarrier.", "cp.",         "st.async",   "red.",
    "atom.",      "vote.",      "match.",    "redux.",      "elect.",     "shfl.",
    "activemask", "fence.",     "membar.",   "mapa.",       "nanosleep.", "cvta.",
    "ld.acquire", "st.release", "exit",      "getctarank.", "tcgen05."};

}  // namespace

void Kernel::count(const std::string& instruction)
{
    std::string_view text = instruction;
    if (text.substr(0, 1) == "@") text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    const std::string_view mnemonic = text.substr(0, text.find(' '));
    const bool counted = std::any_of(kCounted.begin(), kCounted.end(), [&](std::string_view begin) {
        return mnemonic.substr(0, begin.size()) == begin;
    });
    if (counted) ++forms_[std::string(mnemonic)];
}

void Kernel::line(const std::string& instruction, const char* note)
{
    count(instruction);
    text_ += "  " + instruction + ";";
    if (note != nullptr) text_ += std::string("  // ") + note;
    text_ += '\n';
}

unsigned Kernel::shared(unsigned bytes, unsigned align)
{
    const unsigned at = (shared_ + align - 1) / align * align;
    shared_ = at + bytes;
    sharedMost_ = std::max(sharedMost_, shared_);
    return at;
}

std::string Kernel::table(const std::vector<std::uint32_t>& values)
{
    const std::string name = fmt::format("table{}", tablesCount_++);
    tables_ += fmt::format(".global .align 4 .u32 {}[{}] = {{{}}};\n", name, values.size(),
                           fmt::join(values, ", "));
    return name;
}

std::string Kernel::module() const
{
    const char* target = sm80_ ? "sm_80" : tensor_ ? "sm_100a" : "sm_90";
    std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n{}",
                                  sm80_ ? "8.0" : "8.6", target, tables_);
    out += ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 aux)";
    if (shape_.clusterSize > 1)
        out += fmt::format(" .reqnctapercluster {}, 1, 1", shape_.clusterSize);
    out += "\n{\n";
    if (sharedMost_ != 0) out += fmt::format("  .shared .align 128 .b8 smem[{}];\n", sharedMost_);
    out +=
        fmt::format("  .reg .b32 %r<{}>; .reg .b64 %d<{}>; .reg .pred %p<{}>; .reg .f32 %f<{}>;\n",
                    b32_ + 1, b64_ + 1, pred_ + 1, f32_ + 1);
    out += "  .reg .b32 %me, %mylane, %mywarp, %mycta, %myrank, %mygid, %acc, %sm; .reg .b64 %out, "
           "%in, %aux;\n";
    out += "  mov.u32 %me, %tid.x; and.b32 %mylane, %me, 31; shr.u32 %mywarp, %me, 5; mov.u32 "
           "%mycta, %ctaid.x;\n";
    out += shape_.clusterSize > 1 ? "  mov.u32 %myrank, %cluster_ctarank;\n"
                                  : "  mov.u32 %myrank, 0;\n";
    out += fmt::format("  mad.lo.u32 %mygid, %mycta, {}, %me;\n", shape_.threads);
    out += sharedMost_ != 0 ? "  mov.u32 %sm, smem;\n" : "  mov.u32 %sm, 0;\n";
    for (const char* name : {"out", "in", "aux"})
        out += fmt::format("  ld.param.u64 %{0}, [{0}]; cvta.to.global.u64 %{0}, %{0};\n", name);
    return out + text_ + "}\n";
}

}  // namespace gsu::fuzz
