// gsu decode: mbarrier words from the command line or from a dump of shared memory.
#include "cli/decode.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/number.hpp"
#include "cli/commands.hpp"
#include "cli/decode_cause.hpp"
#include "cli/dump_file.hpp"
#include "golden/mbarrier.hpp"
#include "observers/mbar_word.hpp"

namespace gsu::cli {

using namespace run;

namespace {

using Found = DumpWord;

std::uint64_t number(const std::string& text, const char* option, const char* what)
{
    const auto value = wholeNumber(text, ~std::uint64_t{0}, Digits::Either);
    if (!value) throw InputError(option, "'" + text + "' is not " + what);
    return *value;
}

std::vector<Found> fromDump(const DecodeOptions& o)
{
    if (o.at.empty()) throw InputError("--dump", "needs --at ADDRESS");
    const std::uint64_t base = number(o.base, "--base", "a number");
    std::vector<std::uint64_t> addresses;
    for (const std::string& text : o.at) {
        addresses.push_back(number(text, "--at", "an address"));
        if (addresses.back() % 8 != 0)
            throw InputError("--at", "address " + text + " is not a multiple of 8");
    }
    const std::vector<std::uint8_t> bytes = readDump(o.dump);
    std::vector<Found> found;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::uint64_t at = addresses[i];
        if (base > bytes.size() || at > bytes.size() - base || bytes.size() - base - at < 8)
            throw InputError("--at",
                             fmt::format("address {} is beyond the dump of {} bytes{}", o.at[i],
                                         bytes.size(),
                                         base == 0 ? "" : fmt::format(" from byte {} on", base)));
        std::uint64_t word = 0;
        for (unsigned k = 0; k < 8; ++k)
            word |= std::uint64_t{bytes[static_cast<std::size_t>(base + at + k)]} << 8 * k;
        found.push_back({word, at, {}});
    }
    return found;
}

nlohmann::ordered_json jsonOf(const std::vector<Found>& all, std::size_t index, bool sm80)
{
    const Found& f = all[index];
    const MbarState s = unpackMbar(f.word);
    nlohmann::ordered_json out;
    if (f.address) out["address"] = *f.address;
    out["word"] = fmt::format("{:#018x}", f.word);
    out["state"] = nameOf(stateOf(f.word, sm80));
    out["phase"] = s.phase ? 1 : 0;
    out["pending"] = s.pending;
    out["lock"] = s.lock;
    out["tx"] = s.tx;
    out["expected"] = s.expected;
    out["layout"] = f.word & 1u;
    out["explanation"] = explainMbarWord(f.word, sm80);
    if (f.awaited) out["asked"] = *f.awaited;
    if (const auto cause = causeInDump(all, index, sm80)) {
        out["waits"] = cause->waits;
        if (cause->waits) out["cause"] = {{"kind", cause->kind}, {"sentence", cause->sentence}};
    }
    return out;
}

std::string longText(const Found& f, bool sm80)
{
    const MbarState s = unpackMbar(f.word);
    return fmt::format(
        "mbarrier word {:#018x} ({} layout): {}\n"
        "  [63]    phase     {}\n  [62:43] pending   {}\n  [42]    lock      {}\n"
        "  [41:21] tx        {}\n  [20:1]  expected  {}\n  [0]     layout    v{}\n{}\n",
        f.word, sm80 ? "sm_80" : "sm_90", nameOf(stateOf(f.word, sm80)), s.phase ? 1 : 0, s.pending,
        s.lock ? 1 : 0, s.tx, s.expected, f.word & 1u, explainMbarWord(f.word, sm80));
}

std::string shortText(const Found& f, bool sm80)
{
    const MbarState s = unpackMbar(f.word);
    const std::string place = f.address ? fmt::format("+{:#x} ({}): ", *f.address, *f.address) : "";
    return fmt::format(
        "{}{:#018x} {}: phase {}, {} of {} arrivals pending, tx {} bytes{}\n    {}\n", place,
        f.word, nameOf(stateOf(f.word, sm80)), s.phase ? 1 : 0, s.pending, s.expected, s.tx,
        s.lock ? ", locked" : "", explainMbarWord(f.word, sm80));
}

}  // namespace

int decode(const DecodeOptions& o)
{
    if (o.profile != "sm_80" && o.profile != "sm_90")
        throw InputError("--profile", "'" + o.profile + "' is not sm_80 or sm_90");
    const bool sm80 = o.profile == "sm_80";
    if (o.dump.empty() && o.words.empty())
        throw InputError("gsu decode", "needs a WORD or --dump FILE");
    if (o.dump.empty() && !o.at.empty()) throw InputError("--at", "needs --dump FILE");
    std::vector<Found> found;
    for (const std::string& text : o.words)
        found.push_back({number(text, "gsu decode", "a 64-bit number"), {}, {}});
    if (!o.dump.empty()) {
        const auto more = fromDump(o);
        found.insert(found.end(), more.begin(), more.end());
    }
    if (o.parity.size() > 1 && o.parity.size() != found.size())
        throw InputError("--parity", fmt::format("{} for {}: one for all, or one for each",
                                                 counted(o.parity.size(), "parity", "parities"),
                                                 counted(found.size(), "word")));
    for (std::size_t i = 0; i < found.size() && !o.parity.empty(); ++i)
        found[i].awaited = o.parity[o.parity.size() == 1 ? 0 : i];
    const bool one = o.words.size() == 1 && o.dump.empty();
    std::string out;
    if (o.json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < found.size(); ++i) list.push_back(jsonOf(found, i, sm80));
        out = (one ? list[0] : nlohmann::ordered_json{{"words", list}}).dump() + '\n';
    } else {
        for (std::size_t i = 0; i < found.size(); ++i) {
            out += one ? longText(found[i], sm80) : shortText(found[i], sm80);
            if (o.dump.empty() && o.parity.empty()) continue;
            if (const auto cause = causeInDump(found, i, sm80))
                out += "    " + (cause->waits ? cause->kind + ": " : "") + cause->sentence + '\n';
        }
    }
    print(out);
    return kAsExpected;
}

}  // namespace gsu::cli
