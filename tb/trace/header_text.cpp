#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "golden/chip_layout.hpp"
#include "trace/record_text.hpp"

namespace gsu::trace {

namespace {

enum Key : std::uint32_t {
    kUnit,
    kPreset,
    kClock,
    kSms,
    kSeed,
    kAnswers,
    kPtx,
    kEntry,
    kWith,
    kNetwork
};
constexpr std::string_view kSince3[] = {"vote_lat", "redux_lat", "redux_minmax_lat", "match_lat"};
constexpr std::string_view kSince4[] = {"grid_up_lat", "grid_down_lat"};
constexpr std::string_view kKeys[] = {"unit",    "preset", "clock", "sms",  "seed",
                                      "answers", "ptx",    "entry", "with", "network"};
constexpr std::size_t kMaxExec = 256;

bool plain(std::string_view text) noexcept
{
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
    return text.size() <= 4096;
}

template <std::size_t N> bool among(const std::string_view (&keys)[N], std::string_view key)
{
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

}  // namespace

std::string headerText(const Header& h)
{
    std::string out =
        fmt::format("gsut {}\nunit {}\npreset {}\n", h.version, h.unit, nameOf(h.preset));
    if (const std::string with = textOf(h.structure); !with.empty()) out += "with " + with + '\n';
    for (const Parameter& p : parameters())
        out += fmt::format("cfg {}={}\n", p.key, p.get(h.config));
    for (const auto& [key, value] : h.exec) out += fmt::format("exec {}={}\n", key, value);
    out += fmt::format("clock {}\n", h.clockMhz);
    if (h.network != kChipNetworkSms) out += fmt::format("network {}\n", h.network);
    out += fmt::format("sms {}\nseed {}\nanswers {}\nptx {:#018x} {}\nentry {}\nbegin\n", h.sms,
                       h.seed, h.answers ? "yes" : "no", h.ptxHash, h.ptxName, h.entry);
    return out;
}

void HeaderParser::configuration(const Cursor& cursor)
{
    const std::string assignment(cursor.rest());
    const std::string key = assignment.substr(0, assignment.find('='));
    std::size_t i = 0;
    while (i < config_.size() && key != parameters()[i].key) ++i;
    if (i < config_.size() && config_[i]) cursor.fail("parameter " + key + " is given twice");
    const std::string error = setParameter(header_.config, assignment, header_.structure);
    if (!error.empty()) cursor.fail(error);
    if (i < config_.size()) config_[i] = true;
}

void HeaderParser::executorParameter(Cursor& cursor)
{
    if (header_.exec.size() == kMaxExec) cursor.fail("too many parameters of the executor");
    const std::string key(cursor.rest().substr(0, cursor.rest().find('=')));
    if (key.empty() || key.find(' ') != std::string::npos || key.size() > 64)
        cursor.fail("KEY=VALUE expected");
    cursor.expect(key);
    cursor.expect("=");
    header_.exec.emplace_back(key, cursor.number("value", ~std::uint64_t{0}));
    cursor.expectEnd();
}

bool HeaderParser::line(Cursor cursor)
{
    if (!version_) {
        if (!cursor.accept("gsut ")) cursor.fail("not a trace: 'gsut 4' expected");
        const auto version = cursor.number("format version", 0xffff'ffff);
        if (version == 0 || version > kAccessVersion)
            cursor.fail(fmt::format("format version {} is not supported, only 1 to {}", version,
                                    kAccessVersion));
        header_.version = unsigned(version);
        cursor.expectEnd();
        version_ = true;
        config_.assign(parameters().size(), false);
        return false;
    }
    const Cursor start = cursor;
    const auto name = cursor.word("a header key");
    if (name == "begin") {
        cursor.expectEnd();
        complete(start);
        return true;
    }
    cursor.expect(" ");
    if (name == "cfg") {
        configuration(cursor);
        return false;
    }
    if (name == "exec") {
        executorParameter(cursor);
        return false;
    }
    std::uint32_t i = 0;
    while (i < std::size(kKeys) && name != kKeys[i]) ++i;
    if (i == std::size(kKeys))
        start.fail("unknown header key '" + std::string(name.substr(0, 24)) + "'");
    if ((seen_ >> i & 1u) != 0) start.fail("'" + std::string(name) + "' is given twice");
    seen_ |= 1u << i;
    key(cursor, name);
    return false;
}

void HeaderParser::structure(const Cursor& cursor)
{
    if (std::find(config_.begin(), config_.end(), true) != config_.end())
        cursor.fail("the structure comes before the parameters, whose ranges it sets");
    const std::string error = setStructure(header_.structure, cursor.rest());
    if (!error.empty()) cursor.fail(error);
    if (header_.structure == defaultStructure()) cursor.fail("a structure other than the default");
}

void HeaderParser::key(Cursor& cursor, std::string_view name)
{
    if (name == kKeys[kUnit]) {
        const auto unit = cursor.word("a unit");
        if (unit != "rtl" && unit != "golden" && unit != "lockstep")
            cursor.fail("unit is rtl, golden or lockstep");
        header_.unit = unit;
    } else if (name == kKeys[kPreset]) {
        const auto preset = cursor.word("a preset");
        if (!presetOf(preset, header_.preset))
            cursor.fail("unknown preset '" + std::string(preset.substr(0, 24)) + "'");
    } else if (name == kKeys[kClock]) {
        header_.clockMhz = cursor.field<std::uint32_t>("clock", 1'000'000);
    } else if (name == kKeys[kSms]) {
        header_.sms = cursor.field<std::uint32_t>("SMs", kMaxChipSms);
        if (header_.sms == 0) cursor.fail("at least one SM");
    } else if (name == kKeys[kNetwork]) {
        header_.network = cursor.field<std::uint32_t>("SMs of a network", kMaxSms);
        if (header_.network == 0) cursor.fail("at least one SM");
    } else if (name == kKeys[kSeed]) {
        header_.seed = cursor.number("seed", ~std::uint64_t{0});
    } else if (name == kKeys[kAnswers]) {
        header_.answers = cursor.accept("yes");
        if (!header_.answers) cursor.expect("no");
    } else if (name == kKeys[kWith]) {
        structure(cursor);
        return;
    } else {
        if (name == kKeys[kPtx]) {
            header_.ptxHash = cursor.number("PTX hash", ~std::uint64_t{0});
            cursor.expect(" ");
        }
        if (!plain(cursor.rest())) cursor.fail("control characters or a name that is too long");
        (name == kKeys[kPtx] ? header_.ptxName : header_.entry) = cursor.rest();
        return;
    }
    cursor.expectEnd();
}

void HeaderParser::complete(const Cursor& cursor) const
{
    for (std::size_t i = 0; i < std::size(kKeys); ++i) {
        if (i != kWith && i != kNetwork && (seen_ >> i & 1u) == 0)
            cursor.fail("header line '" + std::string(kKeys[i]) + "' is missing");
    }
    for (std::size_t i = 0; i < config_.size(); ++i) {
        // Version 1 has no times of fences, version 2 none of warp-wide operations, version 3 none of grids.
        const bool since2 = isFormerParameter(std::string("exec.") + parameters()[i].key);
        const bool older = (header_.version < 2 && since2) ||
                           (header_.version < 3 && among(kSince3, parameters()[i].key)) ||
                           (header_.version < 4 && among(kSince4, parameters()[i].key));
        if (!config_[i] && !older)
            cursor.fail(std::string("header line 'cfg ") + parameters()[i].key + "' is missing");
    }
}

}  // namespace gsu::trace
