// DueList: what is due when, beside a plain sorted set.
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "exec/visibility/due_list.hpp"

using namespace gsu;
using visibility::DueList;

TEST_CASE("DueList names what is due first, in the order in which it came", "[duelist]")
{
    std::mt19937_64 random(1);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    DueList list;
    std::set<std::tuple<Cycle, std::uint64_t, DueList::Name>> all;
    std::vector<Cycle> due(64, kNever);  // by name; kNever: it is not there
    Cycle now = 0;
    for (std::uint64_t step = 1; step < 200'000; ++step) {
        const auto name = static_cast<DueList::Name>(below(due.size()));
        if (due[name] == kNever) {
            // Some far, some at one clock, and what is far comes near as time passes.
            const Cycle bounds[] = {3, 500, 4096, 9000};
            due[name] = now + below(bounds[below(4)]);
            list.add(name, due[name]);
            all.insert({due[name], step, name});
        } else if (below(4) == 0) {
            list.remove(name, due[name]);
            std::erase_if(all, [&](const auto& e) { return std::get<2>(e) == name; });
            due[name] = kNever;
        }
        REQUIRE(list.next() == (all.empty() ? kNever : std::get<0>(*all.begin())));
        if (below(8) != 0) continue;
        now += below(700);
        while (list.next() <= now) {
            REQUIRE(list.first() == std::get<2>(*all.begin()));
            list.advance(list.next());
            const DueList::Name first = list.first();
            list.remove(first, due[first]);
            all.erase(all.begin());
            due[first] = kNever;
        }
        list.advance(now);
    }
}
