// Save and restore: a restored unit continues as the saved one.
#include <cstring>
#include <map>
#include <memory>
#include <random>

#include "base/hash.hpp"
#include "unit.hpp"

using capi::Unit;

namespace {

using Memory = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// Units with a journal, over their own memory or over `memory`. The callbacks of tests/capi/unit.hpp belong to the unit, memory to a global.
Memory* theMemory = nullptr;

std::unique_ptr<Unit> made(const char* name, Memory* memory)
{
    theMemory = memory;
    return std::make_unique<Unit>(name, 2, nullptr, 0, [&](gsu_options& o, gsu_callbacks& c) {
        o.journal = 1;
        if (memory == nullptr) return;
        c.read_word = [](void*, std::uint32_t sm, std::uint32_t addr) {
            return (*theMemory)[{sm, addr}];
        };
        c.write_word = [](void*, std::uint32_t sm, std::uint32_t addr, std::uint64_t value) {
            (*theMemory)[{sm, addr}] = value;
        };
    });
}

/// Random mbarrier and barrier traffic of two CTAs of four warps; a function of the seed and of what the unit answers.
class Traffic {
public:
    explicit Traffic(std::uint32_t seed) : random_(seed) {}
    void start(Unit& u)
    {
        for (std::uint8_t sm = 0; sm < 2; ++sm) {
            gsu_launch l = Unit::cta(128);
            l.sm = sm;
            l.era = std::uint8_t(3 + sm);
            REQUIRE(gsu_unit_launch(u.handle(), &l) == 1);
        }
        u.step();
        for (std::uint8_t sm = 0; sm < 2; ++sm) {
            for (std::uint32_t object = 0; object < 4; ++object) {
                gsu_request r = Unit::request(GSU_OP_MBAR_INIT, 0, 1);
                r.sm = sm;
                r.tag = std::uint16_t(100 + object);
                r.addr[0] = object * 8;
                r.data[0] = 3;
                u.present(r);
                u.step(100);
            }
        }
    }
    void go(Unit& u, int cycles)
    {
        for (int n = 0; n < cycles; ++n) {
            const auto sm = std::uint8_t(random_() % 2);
            gsu_request r = Unit::request(GSU_OP_BAR_SYNC, std::uint8_t(random_() % 4));
            const unsigned kind = random_() % 8, object = random_() % 4, parity = random_() % 2;
            r.sm = sm;
            r.tag = std::uint16_t(2000 + r.warp);
            if (kind == 7) {  // operands per lane without an address
                r.op = GSU_OP_REDUX;
                r.arg0 = r.lanes = 3u << (random_() % 31);
                r.want_value = 1;
                for (std::uint64_t& value : r.data) value = random_();
            } else if (kind > 0) {
                r.op = kind < 6 ? GSU_OP_MBAR_ARRIVE : GSU_OP_MBAR_TRY_WAIT_PARITY;
                r.lanes = 1u << (random_() % 32);
                const auto lane = static_cast<unsigned>(__builtin_ctz(r.lanes));
                r.addr[lane] = object * 8;
                r.data[lane] = kind < 6 ? 1 : parity;
                r.tag = std::uint16_t(r.warp * 32u + lane);
                r.kind = 1;
                r.limit[lane] = 60;
            }
            if (gsu_unit_can_present(u.handle(), sm) == 1 &&
                gsu_unit_present(u.handle(), &r) == GSU_OK)
                ++taken;
            u.step();
            std::uint64_t quiet = 0;
            if (n % 16 != 0 || gsu_unit_quiet_until(u.handle(), &quiet) != GSU_OK) continue;
            if (quiet > u.now())
                REQUIRE(gsu_unit_skip_to(u.handle(), std::min(quiet, u.now() + 3)) == GSU_OK);
        }
    }
    int taken{};

private:
    std::mt19937 random_;
};

std::vector<char> save(const Unit& u)
{
    std::uint64_t bytes = 0;
    REQUIRE(gsu_unit_save(u.handle(), nullptr, 0, &bytes) == GSU_OK);
    std::vector<char> data(bytes);
    CHECK(gsu_unit_save(u.handle(), data.data(), bytes - 1, &bytes) == GSU_E_ARGUMENT);
    REQUIRE(gsu_unit_save(u.handle(), data.data(), data.size(), &bytes) == GSU_OK);
    return data;
}

gsu_status restore(Unit& u, const std::vector<char>& data)
{
    return gsu_unit_restore(u.handle(), data.data(), data.size());
}

template <typename T> void same(const std::vector<T>& a, const std::vector<T>& b)
{
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(std::memcmp(&a[i], &b[i], sizeof(T)) == 0);
}

}  // namespace

TEST_CASE("a restored unit goes on as the saved one", "[capi]")
{
    for (const char* name : {"golden", "rtl", "lockstep"}) {
        for (const bool own : {true, false}) {
            const std::uint32_t seed = own ? 11u : 12u;
            CAPTURE(name, own, seed);
            Memory memory;
            const auto first = made(name, own ? nullptr : &memory);
            Traffic traffic(seed);
            traffic.start(*first);
            traffic.go(*first, 1500);
            CHECK(traffic.taken > 50);
            const std::vector<char> data = save(*first);
            const Memory then = memory;
            const Traffic from = traffic;
            const std::uint64_t cycle = first->now();
            first->commits.clear(), first->responses.clear(), first->releases.clear();
            traffic.go(*first, 1500);
            CHECK(traffic.taken > from.taken + 50);

            Memory again = then;
            const auto second = made(name, own ? nullptr : &again);
            second->step(7);  // whatever it has done is forgotten
            REQUIRE(restore(*second, data) == GSU_OK);
            CHECK(second->now() == cycle);
            CHECK(second->commits.empty());
            CHECK(again == then);  // the driver's memory was left alone
            CHECK(save(*second) == data);
            Traffic rest = from;
            rest.go(*second, 1500);
            same(first->commits, second->commits);
            same(first->responses, second->responses);
            same(first->releases, second->releases);
            CHECK(rest.taken == traffic.taken);
            if (!own) CHECK(again == memory);
        }
    }
}

TEST_CASE("checkpoints that are not of such a unit are refused", "[capi]")
{
    const auto unit = made("golden", nullptr);
    Traffic traffic(1);
    traffic.start(*unit);
    traffic.go(*unit, 100);
    std::vector<char> data = save(*unit);
    const std::uint64_t cycle = unit->now();
    Unit none;
    CHECK(restore(none, data) == GSU_E_STATE);
    std::uint64_t bytes = 0;
    CHECK(gsu_unit_save(none.handle(), nullptr, 0, &bytes) == GSU_E_STATE);
    CHECK(gsu_unit_save(unit->handle(), nullptr, 0, nullptr) == GSU_E_ARGUMENT);
    const auto other = made("lockstep", nullptr);
    CHECK(restore(*other, data) == GSU_E_ARGUMENT);
    CHECK(std::string(gsu_last_error()).starts_with("the checkpoint is one of GSU "));
    for (std::size_t at = 0; at < data.size(); at += 1 + data.size() / 97) {
        CAPTURE(at);
        data[at] = static_cast<char>(data[at] ^ 0x10);
        CHECK(restore(*unit, data) == GSU_E_ARGUMENT);
        data[at] = static_cast<char>(data[at] ^ 0x10);
        const std::vector<char> cut(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(at));
        if (at > 0) CHECK(restore(*unit, cut) == GSU_E_ARGUMENT);
    }
    CHECK(unit->now() == cycle);  // untouched by all that
    CHECK(restore(*unit, data) == GSU_OK);
    CHECK(unit->now() == cycle);
}

namespace {

/// Little-endian base 128, as in a checkpoint.
std::string number(std::uint64_t value)
{
    std::string text;
    for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
    return text + static_cast<char>(value);
}

std::uint64_t takeNumber(std::string& from)
{
    std::uint64_t value = 0;
    unsigned bytes = 0;
    do value |= std::uint64_t{from.at(bytes) & 0x7fu} << 7 * bytes;
    while ((from[bytes++] & 0x80) != 0);
    from.erase(0, bytes);
    return value;
}

/// The checkpoint of a unit that was only stepped, with another number of steps, and sealed again.
std::vector<char> forged(const std::vector<char>& data, std::uint64_t steps)
{
    std::string rest(data.begin(), data.end());
    const std::string magic = rest.substr(0, rest.find('\n') + 1);
    rest.erase(0, magic.size());
    static_cast<void>(takeNumber(rest)), static_cast<void>(takeNumber(rest));  // size, hash
    const std::uint64_t length = takeNumber(rest);
    std::string body = number(length) + rest.substr(0, length);
    rest.erase(0, length);
    body += number(takeNumber(rest));                                          // the cycle
    static_cast<void>(takeNumber(rest)), static_cast<void>(takeNumber(rest));  // sizes
    const std::uint64_t kind = takeNumber(rest);
    const std::string inputs = number(kind) + number(steps);
    body += number(inputs.size()) + number(0) + inputs;
    const std::string whole = magic + number(body.size()) + number(gsu::fnv1a(body)) + body;
    return {whole.begin(), whole.end()};
}

}  // namespace

TEST_CASE("a checkpoint that steps beyond its own cycle is refused, not executed", "[capi]")
{
    const auto unit = made("golden", nullptr);
    unit->step(10);
    const std::vector<char> data = save(*unit);
    CHECK(forged(data, 10) == data);
    CHECK(restore(*unit, forged(data, 10)) == GSU_OK);
    for (const std::uint64_t steps :
         {std::uint64_t{11}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        CAPTURE(steps);
        CHECK(restore(*unit, forged(data, steps)) == GSU_E_ARGUMENT);
        CHECK(std::string(gsu_last_error()) == "the checkpoint steps beyond its own cycle");
        CHECK(unit->now() == 0);
    }
    CHECK(restore(*unit, forged(data, 9)) == GSU_E_INTERNAL);
    CHECK(restore(*unit, data) == GSU_OK);
    CHECK(unit->now() == 10);
}
