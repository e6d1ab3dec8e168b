// Accesses as text: what is written is read, and what is not so written is refused.
#include <iostream>
#include <random>

#include "base/input_error.hpp"
#include "catch.hpp"
#include "golden/port_observer.hpp"
#include "races/access_text.hpp"
#include "trace/record.hpp"

using namespace gsu;
using namespace gsu::races;

namespace {

/// Writes the accesses that it gets as text.
class Echo final : public AccessObserver, public PortObserver, public AccessReader {
public:
    Echo() : AccessReader(static_cast<AccessObserver&>(*this), static_cast<PortObserver&>(*this)) {}
    void onAccess(const Access& a) override
    {
        lines.emplace_back();
        append(lines.back(), a);
    }
    void onAsync(const AsyncOp& op) override
    {
        for (std::string& text : textsOf(op)) lines.push_back(std::move(text));
    }
    void completes(std::uint64_t name) override { lines.push_back(completionText(name)); }
    void onGroup(const GroupStep& s) override
    {
        lines.emplace_back();
        append(lines.back(), s);
    }
    void onPlace(const Launch& launch, std::uint32_t linear) override
    {
        lines.push_back(placeText(launch, linear));
    }
    void onLines(const ModuleLines& m) override { module = m; }

    void read(const std::string& text) { AccessReader::read({text, "a.gsut", 7}, 42); }
    std::vector<std::string> lines;
    ModuleLines module;
};

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    MemoryRange range()
    {
        MemoryRange r{below(2) != 0 ? below(1u << 18) : random_(),
                      static_cast<std::uint32_t>(1 + below(64))};
        if (below(2) == 0) return r;
        r.at %= 1u << 18;
        r.sm = static_cast<std::uint8_t>(below(kMaxSms));
        r.slot = static_cast<std::uint8_t>(below(kMaxCtas));
        return r;
    }
    WarpRef warp()
    {
        return {static_cast<std::uint8_t>(below(kMaxSms)),
                static_cast<std::uint8_t>(below(kMaxCtas)),
                static_cast<std::uint8_t>(below(kMaxWarps))};
    }
    Lanes lanes() { return below(3) == 0 ? ~Lanes{0} : static_cast<Lanes>(random_()) | 1; }
    Access access()
    {
        Access a;
        a.at = warp();
        a.lanes = lanes();
        a.line = static_cast<std::uint32_t>(below(100'000));
        a.cycle = 42;
        a.touch = static_cast<Touch>(1 + below(3));
        a.order.strong = below(2) != 0;
        if (a.order.strong) a.order.sem = static_cast<Sem>(below(4));
        if (a.order.strong) a.order.scope = static_cast<Scope>(below(5));
        a.whole = below(8) == 0;
        a.consecutive = below(2) != 0;
        const MemoryRange first = range();
        const std::uint64_t step = below(3) * 4;
        const bool row = below(2) != 0, values = below(2) != 0;
        for (unsigned l = 0; l < 32; ++l) {
            if (!a.whole && (a.lanes >> l & 1) == 0) continue;
            a.range[l] = below(10) == 0 ? MemoryRange{} : row ? first : range();
            if (row && a.range[l].bytes != 0) a.range[l].at += l * step;
            if (values && (a.lanes >> l & 1) != 0)
                a.value[l] = static_cast<std::uint32_t>(below(3) == 0 ? 5 : random_());
        }
        return a;
    }
    AsyncOp operation()
    {
        AsyncOp op;
        op.kind = static_cast<AsyncOp::Kind>(below(6));
        op.until = static_cast<AsyncOp::Until>(below(3));
        op.at = warp();
        op.lanes = lanes();
        op.line = static_cast<std::uint32_t>(below(100'000));
        op.updates = below(2) != 0;
        if (op.until == AsyncOp::Until::Mbarrier) {
            op.name = random_();
            op.sm = static_cast<std::uint8_t>(below(kMaxSms));
            op.slot = static_cast<std::uint8_t>(below(kMaxCtas));
            op.mbarrier = static_cast<std::uint32_t>(below(1u << 18));
        }
        for (auto* list : {&op.reads, &op.writes}) {
            const std::size_t most = below(4) == 0 ? 500 : 3;
            for (std::uint64_t n = below(most); n > 0; --n) list->push_back(range());
        }
        return op;
    }

private:
    std::mt19937_64 random_;
};

bool same(const Access& a, const Access& b)
{
    bool ranges = true;
    for (unsigned l = 0; l < 32; ++l) {
        const bool empty = a.range[l].bytes == 0 && b.range[l].bytes == 0;
        ranges = ranges && (empty || (a.range[l].at == b.range[l].at &&
                                      a.range[l].bytes == b.range[l].bytes &&
                                      a.range[l].sameMemory(b.range[l])));
    }
    return ranges && a.at == b.at && a.lanes == b.lanes && a.line == b.line && a.touch == b.touch &&
           a.order.strong == b.order.strong && a.order.sem == b.order.sem &&
           a.order.scope == b.order.scope && a.cycle == b.cycle && a.value == b.value &&
           a.whole == b.whole && a.consecutive == b.consecutive;
}

class Keeps final : public AccessObserver, public PortObserver, public AccessReader {
public:
    Keeps() : AccessReader(static_cast<AccessObserver&>(*this), static_cast<PortObserver&>(*this))
    {
    }
    void onAccess(const Access& a) override { access = a; }
    void onAsync(const AsyncOp&) override {}
    void completes(std::uint64_t) override {}
    void onGroup(const GroupStep&) override {}
    void onLines(const ModuleLines&) override {}
    Access access;
};

}  // namespace

TEST_CASE("accesses that are written are read", "[races]")
{
    const unsigned seed = std::random_device{}();
    std::cout << "seed " << seed << '\n';
    Draw draw(seed);
    for (int i = 0; i < 5000; ++i) {
        const Access a = draw.access();
        std::string text;
        append(text, a);
        CAPTURE(text);
        CHECK(text.size() < trace::kMaxLine - 64);
        Keeps keeps;
        keeps.read({text, "a.gsut", 1}, 42);
        REQUIRE(same(a, keeps.access));
    }
}

TEST_CASE("operations, groups, places and lines that are written are read", "[races]")
{
    const unsigned seed = std::random_device{}();
    std::cout << "seed " << seed << '\n';
    Draw draw(seed);
    Echo echo;
    std::vector<std::string> wanted;
    for (int i = 0; i < 2000; ++i) {
        const AsyncOp op = draw.operation();
        for (const std::string& text : textsOf(op)) {
            CHECK(text.size() < trace::kMaxLine - 64);
            wanted.push_back(text);
            echo.read(text);
        }
        GroupStep s;
        s.kind = static_cast<AsyncOp::Kind>(draw.below(4));
        s.at = draw.warp();
        s.lanes = draw.lanes();
        s.waits = draw.below(2) != 0;
        if (s.waits) s.mayStay = static_cast<std::uint32_t>(draw.below(9));
        s.reads = s.waits && draw.below(2) != 0;
        s.all = s.waits && draw.below(2) != 0;
        wanted.emplace_back();
        append(wanted.back(), s);
        echo.read(wanted.back());
        wanted.push_back(completionText(draw.below(~0ull)));
        echo.read(wanted.back());
    }
    wanted.push_back(placeText(Launch{.sm = 3, .cta = 5}, 77));
    echo.read(wanted.back());
    CHECK(echo.lines == wanted);
    ModuleLines lines;
    for (std::uint32_t l = 1; l < 1000; l += 2) lines.unscoped.insert(l);
    lines.reductions.emplace({4u, 8u});
    for (const std::string& text : textsOf(lines)) echo.read(text);
    CHECK(echo.module.unscoped == lines.unscoped);
    REQUIRE(echo.module.reductions);
    CHECK(*echo.module.reductions == *lines.reductions);
}

TEST_CASE("text that is no access is refused with its place", "[races]")
{
    for (const char* text : {"",
                             "access",
                             "frobnicate 1",
                             "access 0/0/0 0x00000000 L1 reads weak -*1",
                             "access 0/0/0 0x00000001 L1 reads weak g@1:4,g@9:4",
                             "access 0/0/0 0x00000003 L1 reads weak g@1:4",
                             "access 0/0/0 0x00000001 L1 steals weak g@1:4",
                             "access 0/0/0 0x00000001 L1 reads wick g@1:4",
                             "access 0/0/0 0x00000001 L1 reads relaxed.moon g@1:4",
                             "access 0/0/0 0x00000001 L1 reads weak g@1:4 values=1,2",
                             "access 0/0/0 0x00000001 L1 reads weak g@1+4*99999999:4",
                             "access 0/0/0 0x00000001 L1 reads weak g@1:4 rowing",
                             "access 148/0/0 0x00000001 L1 reads weak g@1:4",
                             "part takes g@1:4",
                             "begins 0/0/0 0x00000001 L1 bulk until noon",
                             "group 0/0/0 0x00000001 L1 bulk yawns",
                             "reductions 4",
                             "completes 4",
                             "place 0/0",
                             "unscoped 1,"}) {
        CAPTURE(text);
        Echo echo;
        CHECK_THROWS_AS(echo.read(text), InputError);
    }
}

TEST_CASE("equal steps from lane to lane are written as a row", "[races]")
{
    const auto text = [](std::vector<MemoryRange> ranges, std::vector<std::uint32_t> values = {}) {
        Access a;
        a.touch = Touch::Writes;
        for (std::size_t l = 0; l < ranges.size(); ++l) {
            a.lanes |= Lanes{1} << l;
            a.range[l] = ranges[l];
            if (l < values.size()) a.value[l] = values[l];
        }
        std::string out;
        append(out, a);
        return out.substr(out.find("weak ") + 5);
    };
    const MemoryRange far{8, 4, 1, 2};
    CHECK(text({{8, 4}}) == "g@8:4");
    CHECK(text({{8, 4}, {12, 4}}) == "g@8+4*2:4");
    CHECK(text({{8, 4}, {8, 4}, {8, 4}}) == "g@8+0*3:4");
    CHECK(text({{8, 4}, {16, 4}, {24, 4}, {28, 4}}) == "g@8+8*3:4,g@28:4");
    CHECK(text({{8, 4}, {16, 4}, {24, 2}}) == "g@8+8*2:4,g@24:2");
    CHECK(text({{8, 4}, far, {16, 4, 1, 2}}) == "g@8:4,1/2@8+8*2:4");
    CHECK(text({{8, 4}, {4, 4}}) == "g@8:4,g@4:4");
    CHECK(text({{}, {}, {8, 4}, {}}) == "-*2,g@8:4,-*1");
    CHECK(text({{8, 4}, {12, 4}, {16, 4}}, {0, 7, 7}) == "g@8+4*3:4 values=0x0,0x7*2");
    CHECK(text({{8, 4}, {12, 4}}, {1, 2}) == "g@8+4*2:4 values=0x1,0x2");
}

TEST_CASE("lists of ranges and lines are cut into texts of a hundred", "[races]")
{
    AsyncOp op;
    op.lanes = 1;
    for (unsigned n = 0; n < 250; ++n) op.reads.push_back({16 * n * n, 4});
    CHECK(textsOf(op).size() == 4);
    op.reads.resize(200);
    CHECK(textsOf(op).size() == 3);
    ModuleLines lines;
    for (std::uint32_t l = 0; l < 200; ++l) lines.unscoped.insert(l);
    const std::vector<std::string> texts = textsOf(lines);
    REQUIRE(texts.size() == 2);
    CHECK(texts[0].starts_with("unscoped 0,1,2,"));
    CHECK(texts[0].ends_with(",98,99"));
    CHECK(texts[1].starts_with("unscoped 100,101,"));
    lines.reductions.emplace();
    CHECK(textsOf(lines).back() == "reductions");
}
