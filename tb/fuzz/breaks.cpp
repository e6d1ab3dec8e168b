#include "fuzz/breaks.hpp"

#include <functional>
#include <sstream>

namespace gsu::fuzz {
namespace {

bool has(const std::string& line, const char* part) { return line.find(part) != std::string::npos; }

/// The line with one part of it replaced; empty: it has no such part.
std::string swapped(const std::string& line, const char* from, const char* to)
{
    const std::size_t at = line.find(from);
    if (at == std::string::npos) return {};
    std::string next = line;
    return next.replace(at, std::string(from).size(), to);
}

/// Another number behind the place of a barrier: the other parity, twice a count, half of the bytes.
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

struct Kind {
    const char* name;
    /// The line as it is then; a space: without it; empty: not of this kind.
    std::function<std::string(const std::string&)> edit;
};

/// Lines with one of these parts are taken out.
Kind without(const char* name, std::vector<const char*> parts)
{
    return {name, [parts](const std::string& line) -> std::string {
                for (const char* part : parts)
                    if (has(line, part)) return " ";
                return {};
            }};
}

// long: a table
const std::vector<Kind>& kinds()
{
    static const std::vector<Kind> all{
        without("no-barrier", {" bar.sync", " barrier.sync", " bar.cta.sync", " barrier.cta.sync"}),
        without("no-warp-barrier", {"bar.warp.sync"}),
        {"no-cluster-barrier",
         [](const std::string& l) -> std::string {
             return has(l, "barrier.cluster.wait") ? " " : "";
         }},
        {"relaxed-cluster-arrive",
         [](const std::string& l) {
             return swapped(l, "barrier.cluster.arrive.release", "barrier.cluster.arrive.relaxed");
         }},
        without("no-fence", {"fence.acq_rel", "fence.sc", "membar."}),
        {"narrow-fence",
         [](const std::string& l) {
             const std::string gpu = swapped(l, "fence.acq_rel.gpu", "fence.acq_rel.cta");
             return gpu.empty() ? swapped(l, "fence.acq_rel.cluster", "fence.acq_rel.cta") : gpu;
         }},
        without("no-proxy-fence", {"fence.proxy.async"}),
        without("no-init-fence", {"fence.mbarrier_init"}),
        {"relaxed-arrive",
         [](const std::string& l) {
             return swapped(l, "mbarrier.arrive.release", "mbarrier.arrive.relaxed");
         }},
        {"narrow-arrive",
         [](const std::string& l) {  // on another CTA's object
             return has(l, "shared::cluster.b64") ? swapped(l, "mbarrier.arrive.release.cluster",
                                                            "mbarrier.arrive.release.cta")
                                                  : std::string();
         }},
        {"relaxed-wait",
         [](const std::string& l) { return swapped(l, "parity.acquire", "parity.relaxed"); }},
        {"relaxed-store",
         [](const std::string& l) { return swapped(l, " st.release", " st.relaxed"); }},
        {"relaxed-load",
         [](const std::string& l) { return swapped(l, " ld.acquire", " ld.relaxed"); }},
        without("no-arrive", {"mbarrier.arrive.", "barrier.arrive", "bar.arrive"}),
        without("no-copy-wait", {"cp.async.wait", "cp.async.bulk.wait_group"}),
        {"other-parity",
         [](const std::string& l) { return has(l, "wait.parity") ? otherNumber(l) : ""; }},
        {"other-count",
         [](const std::string& l) { return has(l, "mbarrier.init") ? otherNumber(l) : ""; }},
        {"other-bytes",
         [](const std::string& l) { return has(l, "expect_tx") ? otherNumber(l) : ""; }},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& breakKinds()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const Kind& k : kinds()) list.emplace_back(k.name);
        return list;
    }();
    return names;
}

std::optional<Break> broken(const std::string& ptx, const std::string& kind, std::uint64_t seed)
{
    std::vector<std::string> lines;
    std::istringstream in(ptx);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (const Kind& k : kinds()) {
        if (kind != k.name) continue;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!k.edit(lines[i]).empty()) places.push_back(i);
        if (places.empty()) return std::nullopt;
        const std::size_t at = places[seed % places.size()];
        Break b{kind, static_cast<std::uint32_t>(at + 1), lines[at], {}};
        lines[at] = k.edit(lines[at]);
        for (const std::string& line : lines) b.ptx += line + '\n';
        return b;
    }
    return std::nullopt;
}

}  // namespace gsu::fuzz
