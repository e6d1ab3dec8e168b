#include "fuzz/breaks.hpp"

#include <functional>
#include <optional>
#include <sstream>

#include "fuzz/kernel.hpp"
#include "fuzz/random.hpp"

namespace gsu::fuzz {
namespace {

bool has(const std::string& line, const char* part) { return line.find(part) != std::string::npos; }

/// The line with one part replaced; empty: the line has no such part.
std::string swapped(const std::string& line, const char* from, const char* to)
{
    const std::size_t at = line.find(from);
    if (at == std::string::npos) return {};
    std::string next = line;
    return next.replace(at, std::string(from).size(), to);
}

/// The line with another number after the place of a barrier: the other parity, twice the count, or half of the bytes.
std::string otherNumber(const std::string& line)
{
    const std::size_t at = line.find("], ");
    if (at == std::string::npos) return {};
    const std::size_t from = at + 3, to = line.find_first_not_of("0123456789", from);
    if (to == from || to == std::string::npos) return {};
    const std::uint64_t n = std::stoull(line.substr(from, to - from));
    const bool parity = has(line, "parity"), bytes = has(line, "expect_tx");
    const std::uint64_t next = parity ? 1 - n % 2 : bytes ? n / 2 : 2 * n;
    return line.substr(0, from) + std::to_string(next) + line.substr(to);
}

/// A wait for an mbarrier's phase, changed so that it finds the phase complete at once.
std::string alwaysComplete(const std::string& line)
{
    const std::size_t type = line.find(".b64 "), wait = line.find("_wait.");
    if (type == std::string::npos || wait == std::string::npos) return {};
    const std::size_t from = type + 5, to = line.find(',', from);
    return "  setp.eq.u32 " + line.substr(from, to - from) + ", 0, 0;";
}

using Edit = std::function<std::string(const std::string&)>;

struct Kind {
    const char* name;
    /// The changed line; a space: the line is removed; empty: the break does not apply to the line.
    Edit edit;
    std::vector<std::string> names;
};

/// Removes lines that have one of these parts.
Edit without(std::vector<const char*> parts)
{
    return [parts](const std::string& line) -> std::string {
        for (const char* part : parts)
            if (has(line, part)) return " ";
        return {};
    };
}
Edit swapping(const char* from, const char* to)
{
    return [from, to](const std::string& line) { return swapped(line, from, to); };
}

// long: a table
const std::vector<Kind>& kinds()
{
    static const std::vector<Kind> all{
        {"no-barrier",
         without({" bar.sync", " barrier.sync", " bar.cta.sync", " barrier.cta.sync"}),
         {":barrier", "BAR-038", "hang:missing-arrival", "TC5-011", "TC5-088"}},
        {"no-warp-barrier", without({"bar.warp.sync"}), {":barrier"}},
        {"no-cluster-barrier",
         without({"barrier.cluster.wait"}),
         {":cluster-barrier", "CLU-014", "CLU-025"}},
        {"relaxed-cluster-arrive",
         swapping("barrier.cluster.arrive.release", "barrier.cluster.arrive.relaxed"),
         {":release", ":cluster-barrier"}},
        {"no-fence",
         without({"fence.acq_rel", "fence.sc", "membar."}),
         {":fence", ":release", ":acquire"}},
        {"narrow-fence",
         [](const std::string& l) {
             const std::string gpu = swapped(l, "fence.acq_rel.gpu", "fence.acq_rel.cta");
             return gpu.empty() ? swapped(l, "fence.acq_rel.cluster", "fence.acq_rel.cta") : gpu;
         },
         {":fence", ":release", ":acquire"}},
        {"no-proxy-fence", without({"fence.proxy.async"}), {":proxy-fence", "TC5-086"}},
        {"no-init-fence", without({"fence.mbarrier_init"}), {":fence"}},
        {"relaxed-arrive",
         swapping("mbarrier.arrive.release", "mbarrier.arrive.relaxed"),
         {":release"}},
        {"narrow-arrive",
         [](const std::string& l) {  // on an object of another CTA
             return has(l, "shared::cluster.b64") ? swapped(l, "mbarrier.arrive.release.cluster",
                                                            "mbarrier.arrive.release.cta")
                                                  : std::string();
         },
         {":release"}},
        {"relaxed-wait", swapping("parity.acquire", "parity.relaxed"), {":acquire"}},
        {"relaxed-store", swapping(" st.release", " st.relaxed"), {":release"}},
        {"relaxed-load", swapping(" ld.acquire", " ld.relaxed"), {":acquire"}},
        {"no-arrive",
         without({"mbarrier.arrive.", "barrier.arrive", "bar.arrive"}),
         {"hang:missing-arrival", "hang:count-too-large", "hang:exited-arriver", "hang:self-wait",
          "hang:cyclic-wait", ":barrier"}},
        {"arrive-twice",
         [](const std::string& l) {
             return has(l, " mbarrier.arrive.") && !has(l, "%d") ? l + l : std::string();
         },
         {"hang:extra-arrival", "MBAR-003", "MBAR-013"}},
        {"no-wait",
         alwaysComplete,
         {":mbarrier-wait", ":barrier", ":cluster-barrier", ":wait-group", "MBAR-013", "MBW-019",
          "TC5-080", "TC5-085", "TC5-088"}},
        {"no-copy-wait",
         without({"cp.async.wait", "cp.async.bulk.wait_group"}),
         {":wait-group", "HS-024"}},
        {"other-parity",
         [](const std::string& l) { return has(l, "wait.parity") ? otherNumber(l) : ""; },
         {"hang:wrong-phase", "hang:extra-arrival", ":mbarrier-wait", ":barrier",
          ":cluster-barrier", "TC5-080", "TC5-085", "TC5-088"}},
        {"other-count",
         [](const std::string& l) { return has(l, "mbarrier.init") ? otherNumber(l) : ""; },
         {"hang:count-too-large", "hang:missing-arrival", "hang:self-wait", "hang:cyclic-wait"}},
        {"other-bytes",
         [](const std::string& l) { return has(l, "expect_tx") ? otherNumber(l) : ""; },
         {"hang:surplus-bytes", "hang:missing-bytes", "MBAR-029"}},
    };
    return all;
}

}  // namespace

const std::vector<BreakKind>& breakKinds()
{
    static const std::vector<BreakKind> all = [] {
        std::vector<BreakKind> list;
        for (const Kind& k : kinds()) list.push_back({k.name, k.names});
        return list;
    }();
    return all;
}

std::vector<Break> broken(const std::string& ptx, const std::string& kind, std::uint64_t seed,
                          std::size_t most)
{
    std::vector<std::string> lines;
    std::istringstream in(ptx);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::vector<Break> all;
    for (const Kind& k : kinds()) {
        if (kind != k.name) continue;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!has(lines[i], kIdle) && !k.edit(lines[i]).empty()) places.push_back(i);
        Random random(seed);
        for (; !places.empty() && all.size() < most;) {
            const std::size_t pick = random.below(static_cast<std::uint32_t>(places.size()));
            const std::size_t at = places[pick];
            places.erase(places.begin() + static_cast<std::ptrdiff_t>(pick));
            Break b{kind, static_cast<std::uint32_t>(at + 1), lines[at], {}};
            for (std::size_t i = 0; i < lines.size(); ++i)
                b.ptx += (i == at ? k.edit(lines[i]) : lines[i]) + '\n';
            all.push_back(std::move(b));
        }
    }
    return all;
}

}  // namespace gsu::fuzz
