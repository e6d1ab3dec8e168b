#include "ptx/special_registers.hpp"

#include <algorithm>
#include <array>

namespace gsu::ptx {
namespace {

constexpr std::array<std::string_view, 8> kVectors{
    "%tid",       "%ntid",       "%ctaid",         "%nctaid",
    "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
constexpr std::array<std::string_view, 20> kNames{
    "%laneid",          "%warpid",          "%nwarpid",           "%smid",
    "%nsmid",           "%cluster_ctarank", "%cluster_nctarank",  "%lanemask_eq",
    "%lanemask_le",     "%lanemask_lt",     "%lanemask_ge",       "%lanemask_gt",
    "%clock",           "%clock_hi",        "%globaltimer_lo",    "%globaltimer_hi",
    "%total_smem_size", "%aggr_smem_size",  "%dynamic_smem_size", "%reserved_smem_offset_begin"};
constexpr std::array<std::string_view, 5> kReservedOffsets{
    "%reserved_smem_offset_end", "%reserved_smem_offset_cap", "%reserved_smem_offset_0",
    "%reserved_smem_offset_1", "%reserved_smem_offset"};
constexpr std::array<std::string_view, 4> kLongs{"%clock64", "%globaltimer", "%gridid",
                                                 "%current_graph_exec"};

template <typename List> bool contains(const List& list, std::string_view name) noexcept
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// Whether the name is like "%envreg12", for prefix "%envreg" and limit 32; suffix "_64" is allowed for counters.
bool numbered(std::string_view name, std::string_view prefix, unsigned limit) noexcept
{
    if (name.substr(0, prefix.size()) != prefix) return false;
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > 2) return false;
    unsigned value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return false;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value < limit;
}

bool isCounter64(std::string_view name) noexcept
{
    return name.size() > 3 && name.substr(name.size() - 3) == "_64" &&
           numbered(name.substr(0, name.size() - 3), "%pm", 8);
}

}  // namespace

bool hasComponents(std::string_view name) noexcept { return contains(kVectors, name); }

bool isSpecialRegister(std::string_view name) noexcept
{
    const std::size_t dot = name.find('.');
    if (dot != std::string_view::npos) {
        return name.size() == dot + 2 &&
               std::string_view("xyzw").find(name[dot + 1]) != std::string_view::npos &&
               hasComponents(name.substr(0, dot));
    }
    return hasComponents(name) || contains(kNames, name) || contains(kLongs, name) ||
           contains(kReservedOffsets, name) || name == "%is_explicit_cluster" ||
           numbered(name, "%envreg", 32) || numbered(name, "%pm", 8) || isCounter64(name);
}

Type specialType(std::string_view name) noexcept
{
    if (name == "%is_explicit_cluster") return Type::Pred;
    if (contains(kLongs, name) || isCounter64(name)) return Type::U64;
    return Type::U32;
}

}  // namespace gsu::ptx
