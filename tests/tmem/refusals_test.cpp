// Every rule of tc5_rules.def refuses something here, by its own id and with a line that names the place.
#include <map>
#include <set>

#include "exec/tmem/collector.hpp"
#include "exec/tmem/columns.hpp"
#include "problem.hpp"

using namespace tmemtest;

namespace {

using Outcome = Grant::Outcome;

Modifiers of(Kind kind, unsigned group = 1)
{
    Modifiers x;
    x.kind = kind;
    x.group = group;
    x.scaleVector = kind == Kind::Mxf8f6f4 ? 1 : isScaled(kind) ? 2 : 0;
    return x;
}

Verdict decoding(const Modifiers& x, const Fields& f, std::uint32_t flip = 0)
{
    const auto judged = instructionOf(f.bits(x) ^ flip, x);
    return judged ? Verdict{} : judged.refusal();
}

Verdict describing(std::uint64_t bits)
{
    const auto judged = SharedDescriptor::of(bits);
    return judged ? Verdict{} : judged.refusal();
}

/// A correct product, changed by `spoil`.
template <class Spoil>
Verdict multiplying(const Modifiers& x, const Fields& f, Spoil&& spoil, bool strict = false)
{
    std::mt19937_64 random(1);
    Problem p(x, f, 2);
    p.fill(random, [&](Elem e) { return usual(e, random); });
    spoil(p);
    const TensorMemory before = p.memory[0];
    Verdict verdict = p.run(strict);
    for (unsigned lane = 0; verdict && lane < kLanes; ++lane)
        for (unsigned column = 0; column < kColumns; ++column)
            REQUIRE(p.memory[0].at(lane, column) == before.at(lane, column));
    return verdict;
}

const Fields kHalves{.m = 128, .n = 16};
const Copy kRows{CopyShape::L128x128b, Multicast::None, Unpack::None};

Verdict copying(const Copy& x, Address to, std::uint64_t descriptor = descriptorOf(0, 128, 128, 0),
                std::size_t shared = 4096)
{
    const auto source = SharedDescriptor::of(descriptor);
    REQUIRE(source);
    TensorMemory memory;
    return copyIn(x, *source, std::vector<std::uint8_t>(shared), memory, to);
}

struct Example {
    Rule rule;
    std::string line;
    Verdict verdict;
};

Verdict refusalOf(const Grant& grant)
{
    return grant.outcome == Outcome::Refused ? Verdict{grant.refusal} : Verdict{};
}

std::vector<Example> allocations()
{
    ColumnAllocator sm, other;
    REQUIRE(sm.alloc(1, 64).outcome == Outcome::Granted);
    REQUIRE_FALSE(sm.useGroup(1, 1).has_value());
    sm.relinquish(2);
    std::vector<Example> e{
        {Rule::ColumnCount, "TC5-001: 48 columns", refusalOf(sm.alloc(1, 48))},
        {Rule::AllocAfterRelinquish, "TC5-002: alloc of 32 columns", refusalOf(sm.alloc(2, 32))},
        {Rule::ColumnsGrow, "TC5-003: 128 columns after an alloc of 64",
         refusalOf(sm.alloc(1, 128))},
        {Rule::NotAllocated, "TC5-004: 64 columns at 0x40", sm.dealloc(1, 64, 64)},
        {Rule::MixedGroups, "TC5-006: cta_group::2 after cta_group::1", sm.useGroup(1, 2)},
        {Rule::PairDiffers, "TC5-007: 64 columns in the even CTA, 32 in the odd one",
         refusalOf(ColumnAllocator::allocPair(sm, 1, 64, other, 5, 32))},
        {Rule::Unallocated, "TC5-011: columns 60 to 67: column 64 is not allocated",
         sm.problemOfAccess(1, 60, 8)},
    };
    e.push_back({Rule::ColumnsLeft, "TC5-005: 64 columns are left, the first is 0", sm.exit(1)});
    return e;
}

std::vector<Example> addresses()
{
    return {
        {Rule::OutsideMemory, "TC5-010: columns 510 to 513 of 512",
         problemOf(Transfer{Shape::L32x32b, 4, false, 0}, 0, 510)},
        {Rule::ForeignLanes, "TC5-012: lane 0 in warp 5, which reaches lanes 32 to 63",
         firstLane(5, 0, true).refusal()},
        {Rule::HalfOfQuarter, "TC5-013: 16 lanes from lane 8 on",
         problemOf(Transfer{Shape::L16x64b, 4, false, 0}, 8, 0)},
        {Rule::HalfOfQuarter, "TC5-013: 32 lanes from lane 48 on",
         problemOf(Transfer{Shape::L32x32b, 4, false, 0}, 48, 0)},
        {Rule::DLane, "TC5-014: lane 16 with data-path layout D",
         multiplying(of(Kind::F16), kHalves, [](Problem& p) { p.o.d = 16u << 16; })},
        {Rule::OutsideMemory, "TC5-010: columns 500 to 515 of 512",
         multiplying(of(Kind::F16), kHalves, [](Problem& p) { p.o.d = 500; })},
        {Rule::CopyLanes, "TC5-015: 128 rows from lane 1 on", copying(kRows, {1, 0})},
        {Rule::RepeatCount, "TC5-070: .x64 has 256 registers",
         problemOf(Transfer{Shape::L16x256b, 64, false, 0}, 0, 0)},
        {Rule::SplitOffset, "TC5-071: immHalfSplitoff -1",
         problemOf(Transfer{Shape::L16x32bx2, 1, false, ~0u}, 0, 0)},
        {Rule::CopyMulticast, "TC5-072: 32 rows with another multicast",
         copying({CopyShape::L32x128b, Multicast::None, Unpack::None}, {0, 0})},
        {Rule::SixBitCopy, "TC5-073: .b6x16_p32",
         copying({CopyShape::L128x128b, Multicast::None, Unpack::Fp6}, {0, 0})},
        {Rule::Shift,
         "TC5-025: --set exec.tcgen05_shift=warp: those of the quarter that the address names, as "
         "the text has it; =all: those of all four",
         shiftOf(ShiftReach::Refused, {}).refusal()},
        {Rule::ShiftLane, "TC5-016: lane 8", shiftOf(ShiftReach::All, {8, 0}).refusal()},
        {Rule::OutsideMemory, "TC5-010: columns 505 to 512 of 512",
         shiftOf(ShiftReach::Warp, {32, 505}).refusal()},
    };
}

std::vector<Example> modifiers()
{
    Modifiers ws = of(Kind::F16, 2), shift = of(Kind::F16), scaled = of(Kind::Mxf8f6f4),
              input = of(Kind::I8), disabled = of(Kind::F16), masked = of(Kind::F16);
    ws.weightStationary = true;
    shift.shiftA = shift.aInside = true;
    scaled.scaleVector = 4;
    input.scaleInputD = 3;
    disabled.disableWords = 8;
    masked.zeroColumnMask = true;
    Modifiers small = of(Kind::Tf32), filled = of(Kind::Tf32);
    small.shiftA = small.aInside = filled.shiftA = filled.aInside = true;
    filled.collector = Collector::Fill;
    Modifiers used = of(Kind::F16);
    used.collector = Collector::LastUse;
    return {
        {Rule::WsForms, "TC5-020: .ws with .kind::f16 and cta_group::2", problemOf(ws)},
        {Rule::ScaleVector, "TC5-021: .kind::mxf8f6f4 with 4 factors", problemOf(scaled)},
        {Rule::ScaleInputD, "TC5-022: scale-input-d 3 with .kind::i8", problemOf(input)},
        {Rule::DisabledLanes, "TC5-023: 8 words with .kind::f16 and cta_group::1",
         problemOf(disabled)},
        {Rule::ShiftedA, "TC5-024: .ashift with .kind::f16", problemOf(shift)},
        {Rule::ShiftedA, "TC5-024: .ashift with .kind::tf32", problemOf(filled)},
        {Rule::ShiftedA, "TC5-024: .ashift with M = 64",
         decoding(small, {.m = 64, .n = 8, .a = 2, .b = 2})},
        {Rule::MaskForm, "TC5-064: a zero-column mask without .ws", problemOf(masked)},
        {Rule::CollectorEmpty, "TC5-065: a holds nothing", Collectors().use(used, 0)},
    };
}

std::vector<Example> instructionDescriptors()
{
    Modifiers sparsePair = of(Kind::F16, 2), inside = of(Kind::F8f6f4), sparse = of(Kind::F16);
    sparsePair.sparse = inside.aInside = sparse.sparse = true;
    return {
        {Rule::InstructionReserved, "TC5-030: bit 6 of 0x08040050 with .kind::f16",
         decoding(of(Kind::F16), kHalves, 1u << 6)},
        {Rule::SparseBit, "TC5-031: bit 2 is 1 without .sp", decoding(of(Kind::F16), kHalves, 4)},
        {Rule::TypesOfKind, "TC5-032: type of A with .kind::tf32",
         decoding(of(Kind::Tf32), kHalves)},
        {Rule::TypesOfKind, "TC5-032: D of f16 from bf16",
         decoding(of(Kind::F16), {.m = 128, .n = 16, .d = 0, .a = 1, .b = 1})},
        {Rule::Shape, "TC5-033: M = 96, N = 16 is no shape of .kind::f16 with cta_group::1",
         decoding(of(Kind::F16), {.m = 96, .n = 16})},
        {Rule::Saturate, "TC5-034: saturation with .kind::f16",
         decoding(of(Kind::F16), {.m = 128, .n = 16, .saturate = true})},
        {Rule::Saturate, "TC5-034: negation with .kind::i8",
         decoding(of(Kind::I8), {.m = 128, .n = 16, .d = 2, .negateA = true})},
        {Rule::Transposed, "TC5-035: a transposed operand of e2m1",
         decoding(of(Kind::F8f6f4), {.m = 128, .n = 16, .a = 5, .transposeA = true})},
        {Rule::Transposed, "TC5-035: a transposed A in tensor memory",
         decoding(inside, {.m = 128, .n = 16, .transposeA = true})},
        {Rule::Transposed, "TC5-035: a transposed B of 8 bits with N = 24 and cta_group::1",
         decoding(of(Kind::F8f6f4), {.m = 128, .n = 24, .transposeB = true})},
        {Rule::Selector, "TC5-036: selector 1 with .kind::f16, not sparse",
         decoding(of(Kind::F16), {.m = 128, .n = 16, .selector = 1})},
        {Rule::FarSelector, "TC5-037: selector 2",
         decoding(sparse, {.m = 128, .n = 16, .selector = 2})},
        {Rule::ScaleIds, "TC5-038: ids 1 of A, 0 of B with 2 factors",
         decoding(of(Kind::Mxf4), {.m = 128, .n = 16, .a = 1, .b = 1, .scaleA = 1})},
        {Rule::ScaleType, "TC5-039: ue4m3 with .kind::mxf4 and 2 factors",
         decoding(of(Kind::Mxf4), {.m = 128, .n = 16, .a = 1, .b = 1, .ue4m3 = true})},
        {Rule::MaxShift, "TC5-040: a maximum shift of 8 without .ws",
         decoding(of(Kind::F16), {.m = 128, .n = 16, .maxShift = 1})},
        {Rule::K96, "TC5-041: bit 31 of the instruction descriptor",
         decoding(of(Kind::Mxf4), {.m = 128, .n = 16, .a = 1, .b = 1}, 1u << 31)},
        {Rule::MixedHalves, "TC5-042: f16 times bf16",
         decoding(of(Kind::F16), {.m = 128, .n = 16, .b = 1})},
        {Rule::LayoutC, "TC5-043: a sparse product of M = 128 with cta_group::2",
         decoding(sparsePair, {.m = 128, .n = 16})},
        {Rule::PairScales, "TC5-044: block scaling of M = 128 with cta_group::2",
         decoding(of(Kind::Mxf8f6f4, 2), {.m = 128, .n = 16})},
        {Rule::SixBitsInside, "TC5-045: A of e2m3 in tensor memory",
         decoding(inside, {.m = 128, .n = 16, .a = 3})},
    };
}

std::vector<Example> matrixDescriptors()
{
    const std::uint64_t good = descriptorOf(0, 16, 1024, 2);
    const auto with = [](std::uint64_t a) {
        return multiplying(of(Kind::F16), kHalves, [&](Problem& p) { p.o.a = a; });
    };
    return {
        {Rule::Version, "TC5-050: bits 48:46 are 0", describing(good ^ 1ull << 46)},
        {Rule::SwizzleMode, "TC5-051: swizzle 3", describing(good | 3ull << 61)},
        {Rule::SwizzleMode, "TC5-051: swizzle 5", describing(descriptorOf(0, 16, 1024, 5))},
        {Rule::SwizzleMode, "TC5-051: swizzle 7", describing(descriptorOf(0, 16, 1024, 7))},
        {Rule::DescriptorReserved, "TC5-052: 0x4020404000010000", describing(good | 1ull << 53)},
        {Rule::DescriptorReserved, "TC5-052: 0x4000404000014000", describing(good | 1ull << 14)},
        {Rule::BaseOffset, "TC5-053: base offset 2", describing(good | 2ull << 49)},
        {Rule::AbsoluteLeading, "TC5-054: bit 52", describing(good | 1ull << 52)},
        {Rule::SwizzleOfType, "TC5-055: a K-major operand of f16 with 32-byte atoms",
         with(descriptorOf(0, 16, 1024, 1))},
        {Rule::LeavesRow, "TC5-056: 32 bytes from byte 112 of a row of 128",
         with(descriptorOf(112, 16, 1024, 2))},
        {Rule::AtomAlignment, "TC5-057: start 0x10", describing(descriptorOf(16, 16, 1024, 1))},
        {Rule::OutsideShared, "TC5-058: byte 0x1000 of 4096",
         copying(kRows, {0, 0}, descriptorOf(2064, 128, 128, 0))},
        {Rule::OutsideShared, "TC5-058: byte 0x30000 of 196608",
         with(descriptorOf(0x3'0000, 16, 1024, 2))},
    };
}

std::vector<Example> values()
{
    Modifiers sparse = of(Kind::F16), ws = of(Kind::F16);
    sparse.sparse = ws.weightStationary = ws.zeroColumnMask = true;
    const auto masked = [&](std::uint64_t mask) {
        return multiplying(ws, {.m = 64, .n = 64, .maxShift = 1},
                           [&](Problem& p) { p.o.zeroColumns = mask; });
    };
    return {
        {Rule::MetadataCode, "TC5-060: 0x5 of row 9, chunk 6",
         multiplying(
             sparse, kHalves, [](Problem& p) { p.placeCode(9, 6, 5); }, true)},
        {Rule::MaskReserved, "TC5-061: 0x0000001000000000", masked(1ull << 36)},
        {Rule::MaskShift, "TC5-062: a shift of 9, at most 8", masked(9ull << 56)},
        {Rule::ScaleCopies, "TC5-063: factor of row 0 of A in lane 64",
         multiplying(
             of(Kind::Mxf8f6f4), kHalves,
             [](Problem& p) { p.memory[0].at(64, kColumnScaleA) ^= 0x80; }, true)},
    };
}

}  // namespace

TEST_CASE("each rule refuses its example, and no rule lacks one",
          "[tmem][TC5-001][TC5-002][TC5-003][TC5-004][TC5-005][TC5-006][TC5-007][TC5-010]"
          "[TC5-011][TC5-012][TC5-013][TC5-014][TC5-015][TC5-016][TC5-020][TC5-021]"
          "[TC5-022][TC5-023][TC5-024][TC5-025][TC5-030][TC5-031][TC5-032][TC5-033]"
          "[TC5-034][TC5-035][TC5-036][TC5-037][TC5-038][TC5-039][TC5-040][TC5-041]"
          "[TC5-042][TC5-043][TC5-044][TC5-045][TC5-050][TC5-051][TC5-052][TC5-053]"
          "[TC5-054][TC5-055][TC5-056][TC5-057][TC5-058][TC5-060][TC5-061][TC5-062]"
          "[TC5-063][TC5-064][TC5-070][TC5-071][TC5-072][TC5-073]")
{
    std::set<std::string> seen;
    for (const auto& list : {allocations(), addresses(), modifiers(), instructionDescriptors(),
                             matrixDescriptors(), values()}) {
        for (const Example& e : list) {
            INFO(e.line);
            REQUIRE(e.verdict.has_value());
            CHECK(e.verdict->line() == e.line);
            CHECK(e.verdict->rule == e.rule);
            seen.insert(textOf(e.rule).id);
        }
    }
    for (const RuleText& rule : ruleTexts()) {
        INFO(rule.id);
        CHECK(seen.count(rule.id) == 1);
    }
}

TEST_CASE("a collector is used after it was filled, until its last use", "[tmem][TC5-065]")
{
    Collectors collectors;
    const auto use = [&](Collector hint, bool ws = false, unsigned buffer = 0) {
        Modifiers x = of(Kind::F16);
        x.collector = hint;
        x.weightStationary = ws;
        return collectors.use(x, buffer);
    };
    CHECK(use(Collector::Use)->line() == "TC5-065: a holds nothing");
    CHECK_FALSE(use(Collector::Fill).has_value());
    CHECK_FALSE(use(Collector::Use).has_value());
    CHECK(use(Collector::Use, true, 0)->line() == "TC5-065: b0 holds nothing");
    CHECK_FALSE(use(Collector::Fill, true, 3).has_value());
    CHECK_FALSE(use(Collector::LastUse).has_value());
    CHECK(use(Collector::LastUse)->rule == Rule::CollectorEmpty);
    CHECK_FALSE(use(Collector::Use, true, 3).has_value());
    CHECK_FALSE(use(Collector::Discard, true, 3).has_value());
    CHECK(use(Collector::Use, true, 3)->rule == Rule::CollectorEmpty);
}

TEST_CASE("codes of metadata that are not listed count as their bits, unless asked to be strict",
          "[tmem]")
{
    Modifiers sparse = of(Kind::F16);
    sparse.sparse = true;
    const auto with = [&](unsigned code, bool strict) {
        return multiplying(
            sparse, kHalves, [&](Problem& p) { p.placeCode(9, 6, code); }, strict);
    };
    CHECK_FALSE(with(0, false).has_value());  // CUTLASS's, of zeros
    CHECK(with(0, true).has_value());
    CHECK_FALSE(with(0x9, true).has_value());
}

TEST_CASE("the table of rules: ids ascend, statements are sentences", "[tmem]")
{
    std::string last;
    for (const RuleText& rule : ruleTexts()) {
        INFO(rule.id);
        CHECK(std::string(rule.id) > last);
        last = rule.id;
        const std::string text = rule.statement;
        CHECK((text.size() > 20 && text.back() == '.' && std::string(rule.source).size() > 5));
    }
}
