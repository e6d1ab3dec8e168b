// The threads of a warp against 32 threads that are kept one by one, in plain maps.
#include <map>
#include <random>

#include "catch.hpp"
#include "races/threads.hpp"

using namespace gsu;
using namespace gsu::races;

namespace {

constexpr std::uint32_t kCta = 4;
constexpr unsigned kWarp = 6;

/// Known events: (CTA, key, lane) -> time.
using Events = std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, Time>;

void join(Events& to, const Events& from)
{
    for (const auto& [event, time] : from) to[event] = std::max(to[event], time);
}

std::uint32_t key(Line line) { return keyOf(line, Threads::warpOf(line, kWarp)); }

/// One thread.
struct Plain {
    struct Fence {
        std::uint32_t line{};
        bool maybe{};
        Events what;
    };
    Events knows, waited;
    std::array<std::vector<Fence>, kLevels> fences;
    std::array<Events, kLevels> seen;
    std::map<Line, std::vector<Time>> groups;
    std::map<Line, Time> begun;
};

/// The warp, as both keep it.
class Both {
public:
    explicit Both(unsigned seed) : random_(seed) {}
    void step();

private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    Lanes lanes()
    {
        return below(4) == 0 ? ~Lanes{0}
                             : 1u << below(32) | static_cast<Lanes>(random_() & random_());
    }
    Events ofLane(unsigned lane)
    {
        Events all = plain_[lane].knows;
        join(all, plain_[lane].waited);
        all[{kCta, key(Line::Threads), lane}] = threads_.now();
        return all;
    }
    Events given(Lanes lanes)
    {
        Events all;
        eachLane(lanes, [&](unsigned l) { join(all, ofLane(l)); });
        return all;
    }
    /// What another warp releases.
    std::pair<Knowledge, Events> foreign()
    {
        std::pair<Knowledge, Events> k;
        const std::uint32_t cta = below(3) * 4, name = keyOf(Line::Threads, below(2));
        const Lanes some = lanes();
        const Time time = ++foreign_;
        k.first.all.raise(cta, name, some, time);
        eachLane(some, [&](unsigned l) { k.second[{cta, name, l}] = time; });
        return k;
    }
    void fence(Lanes lanes);
    void groups(Lanes lanes);
    void meet(Lanes lanes);
    void same(const Knowledge& got, Events wanted);

    std::mt19937 random_;
    Threads threads_{kCta, kWarp, ~Lanes{0}};
    std::array<Plain, 32> plain_;
    Time foreign_{};
};

void Both::same(const Knowledge& got, Events wanted)
{
    for (const std::uint32_t cta : {0u, 4u, 8u})
        for (const Line line :
             {Line::Threads, Line::CpAsync, Line::Bulk, Line::BulkRead, Line::Matrix})
            for (const std::uint32_t name : {keyOf(line, 0), keyOf(line, 1), key(line)})
                for (unsigned l = 0; l < 32; ++l) {
                    const Time time = wanted[{cta, name, l}];
                    if (time != 0) REQUIRE(got.all.reached(cta, name, Lanes{1} << l, time));
                    REQUIRE_FALSE(got.all.reached(cta, name, Lanes{1} << l, time + 1));
                }
}

void Both::fence(Lanes lanes)
{
    const auto level = static_cast<Level>(below(kLevels));
    const Sem sem = std::array{Sem::Acquire, Sem::Release, Sem::AcqRel}[below(3)];
    const std::uint32_t line = 1 + below(3);
    const bool maybe = sem == Sem::Release;
    for (unsigned i = 0; i <= static_cast<unsigned>(level); ++i)
        eachLane(lanes, [&](unsigned l) {
            if (sem != Sem::Release) join(plain_[l].knows, std::exchange(plain_[l].seen[i], {}));
        });
    for (unsigned i = 0; i <= static_cast<unsigned>(level) && sem != Sem::Acquire; ++i)
        eachLane(lanes, [&](unsigned l) {
            auto& list = plain_[l].fences[i];
            std::erase_if(list, [&](const Plain::Fence& f) { return !maybe || f.line == line; });
            list.push_back({line, maybe, ofLane(l)});
        });
    threads_.fence(lanes, level, sem, line);
    if (below(3) != 0) return;
    threads_.forgetFence(lanes, line);
    for (auto& list : {0u, 1u, 2u})
        eachLane(lanes, [&](unsigned l) {
            std::erase_if(plain_[l].fences[list],
                          [&](const Plain::Fence& f) { return f.maybe && f.line == line; });
        });
}

void Both::groups(Lanes lanes)
{
    const Line line = std::array{Line::CpAsync, Line::Bulk, Line::Matrix}[below(3)];
    const bool matrix = line == Line::Matrix;
    if (matrix) lanes = 1;
    const std::uint32_t stay = below(3);
    const bool wait = below(3) == 0, all = below(3) == 0, reads = !matrix && below(2) == 0;
    eachLane(lanes, [&](unsigned l) {
        Plain& p = plain_[l];
        REQUIRE(threads_.begin(line, l) == ++p.begun[line]);
        REQUIRE(threads_.begun(line, l) == p.begun[line]);
        p.groups[line].push_back(p.begun[line]);
        const auto& closed = p.groups[line];
        const Time until = all                     ? p.begun[line]
                           : closed.size() <= stay ? 0
                                                   : closed[closed.size() - 1 - stay];
        const auto raise = [&](Plain& who, Line on, unsigned lane) {
            Time& t = who.waited[{kCta, key(on), lane}];
            t = std::max(t, until);
        };
        if (!wait) return;
        for (unsigned k = 0; matrix && k < 32; ++k)
            for (unsigned m = 0; m < 32; ++m) raise(plain_[k], line, m);
        if (!reads && !matrix) raise(p, line, l);
        if (line == Line::Bulk) raise(p, Line::BulkRead, l);
    });
    threads_.closeGroup(line, lanes);
    if (wait) threads_.waitGroups(line, lanes, stay, all, reads);
}

void Both::meet(Lanes lanes)
{
    Events all = given(lanes);
    eachLane(lanes, [&](unsigned l) { join(plain_[l].knows, all); });
    threads_.meet(lanes);
}

void Both::step()
{
    const Lanes some = lanes();
    const auto level = static_cast<Level>(below(kLevels));
    switch (below(6)) {
        case 0: {
            const Events wanted = given(some);
            const Time before = threads_.now();
            same(threads_.release(some), wanted);
            REQUIRE(threads_.now() == before + 1);
            break;
        }
        case 1: {
            const auto [what, plain] = foreign();
            threads_.acquire(some, what);
            eachLane(some, [&, &plain = plain](unsigned l) { join(plain_[l].knows, plain); });
            break;
        }
        case 2: {
            const auto [what, plain] = foreign();
            threads_.saw(some, level, what);
            eachLane(some, [&, &plain = plain](unsigned l) {
                join(plain_[l].seen[static_cast<unsigned>(level)], plain);
            });
            break;
        }
        case 3: fence(some); break;
        case 4: meet(some); break;
        default: groups(some);
    }
    Events fenced;
    eachLane(some, [&](unsigned l) {
        const auto& list = plain_[l].fences[static_cast<unsigned>(level)];
        if (!list.empty()) join(fenced, list.back().what);
    });
    same(threads_.fenced(some, level), fenced);
    same(threads_.known(some), given(some));
    Lanes covered = 0;
    for (const Threads::Part& part : threads_.parts()) {
        REQUIRE((covered & part.lanes) == 0);
        covered |= part.lanes;
    }
    REQUIRE(covered == ~Lanes{0});
}

}  // namespace

TEST_CASE("threads of a warp know what each by itself would know", "[races]")
{
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        Both both(seed);
        for (int i = 0; i < 60; ++i) {
            INFO("step " << i);
            both.step();
        }
    }
}

TEST_CASE("lanes that know the same again are kept together", "[races]")
{
    Threads threads(0, 0, ~Lanes{0});
    Knowledge one, two;
    one.all.raise(1, keyOf(Line::Threads, 0), 1, 1);
    two.all.raise(2, keyOf(Line::Threads, 0), 1, 1);
    threads.acquire(0xff, one);
    threads.acquire(0xf, two);
    CHECK(threads.parts().size() == 3);
    threads.meet(0xff);
    CHECK(threads.parts().size() == 2);
    threads.meet(~Lanes{0});
    CHECK(threads.parts().size() == 1);
}

TEST_CASE("proxy fences show what their lanes know, by space; a fence of inits publishes it",
          "[races]")
{
    const std::uint32_t name = keyOf(Line::Threads, 0);
    for (const bool shared : {false, true}) {
        for (const bool global : {false, true}) {
            Threads threads(0, 0, ~Lanes{0});
            const Time now = threads.now();
            threads.proxyFence(0x3, shared, global);
            CHECK(threads.now() == now + 1);
            const Knowledge in = threads.known(0x1), out = threads.known(0x4);
            CHECK(in.asyncShared.reached(0, name, 0x3, now) == shared);
            CHECK(in.asyncGlobal.reached(0, name, 0x3, now) == global);
            CHECK_FALSE(in.asyncShared.reached(0, name, 0x4, 1));
            CHECK(out.asyncShared.empty());
            CHECK(out.asyncGlobal.empty());
            threads.initFence(0x4);
            CHECK(threads.known(0x4).inits.reached(0, name, 0x4, now + 1));
            CHECK(threads.now() == now + 2);
            CHECK(threads.known(0x1).inits.empty());
        }
    }
}

TEST_CASE("of fences that may belong to an access 32 are kept; then the oldest counts as one of "
          "the program",
          "[races]")
{
    Threads threads(0, 0, ~Lanes{0});
    for (std::uint32_t line = 1; line <= 33; ++line)
        threads.fence(~Lanes{0}, Level::Cta, Sem::Release, line);
    for (std::uint32_t line = 33; line >= 2; --line) {
        CHECK(threads.fenced(1, Level::Cta).all.reached(0, keyOf(Line::Threads, 0), 1, line));
        threads.forgetFence(~Lanes{0}, line);
    }
    threads.forgetFence(~Lanes{0}, 1);  // no longer one that may be forgotten
    CHECK(threads.fenced(1, Level::Cta).all.reached(0, keyOf(Line::Threads, 0), 1, 1));
    CHECK(threads.fenced(1, Level::Cluster) == Knowledge{});
}
