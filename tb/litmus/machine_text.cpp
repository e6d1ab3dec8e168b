// States as bytes, steps as lines.
#include <fmt/format.h>

#include "litmus/machine.hpp"

namespace gsu::litmus {
namespace {

/// Appends plain values.
struct Bytes {
    std::string text;
    template <class... T> void add(T... values) { (put(values), ...); }
    template <class T> void put(T value)
    {
        for (unsigned i = 0; i < sizeof(T); ++i)
            text += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i);
    }
};

std::string where(const Test& test, unsigned cta)
{
    return fmt::format("CTA {}", test.ctas[cta].number);
}

}  // namespace

std::string Machine::key(const State& s) const
{
    Bytes b;
    for (const ThreadState& t : s.threads) {
        b.add(static_cast<std::uint8_t>(t.at), t.pc);
        for (const std::int32_t r : t.registers) b.put(r);
    }
    for (const auto& versions : s.memory) {
        b.put(static_cast<std::uint8_t>(versions.size()));
        for (const Version& v : versions) {
            b.put(v.value);
            if (versions.size() > 1) b.add(v.address, v.proxy, v.cta);
        }
    }
    b.text.append(s.floors.begin(), s.floors.end());
    b.put(static_cast<std::uint8_t>(s.pending.size()));
    for (const Pending& p : s.pending)
        b.add(p.thread, p.location, static_cast<std::uint8_t>(p.proxy),
              static_cast<std::uint8_t>(p.inCta | p.reduces << 1 | p.oneStep << 2),
              static_cast<std::uint8_t>(p.math), p.value, p.own, p.wide);
    b.put(static_cast<std::uint8_t>(s.flights.size()));
    for (const InFlight& f : s.flights)
        b.add(static_cast<std::uint8_t>(f.what), f.cta, f.mbarrier, f.location, f.from, f.value,
              f.wide);
    for (const auto& bars : s.named)
        for (unsigned i = 0; i < bars.size(); ++i)
            if (bars[i].mode != NamedBarrier::Mode::Idle)
                b.add(static_cast<std::uint8_t>(i), bars[i].count, bars[i].arrived,
                      bars[i].waiting);
    for (unsigned l = 0; l < s.mbarriers.size(); ++l)
        if (test_.locations[l].kind == Location::Kind::Mbarrier) b.put(packMbar(s.mbarriers[l]));
    for (const ThreadSet c : s.clusters) b.put(c);
    return std::move(b.text);
}

std::string Machine::describeExecute(const State& s, const Step& step) const
{
    const Instruction& i = next(s, step.index);
    std::string text = test_.threads[step.index].name + ": " + i.text;
    if (i.kind != Kind::Load) return text;
    const Pending* own = forwarded(s, step.index, i.proxy, i.location);
    const auto& all = s.memory[test_.locations[i.location].root];
    if (own != nullptr && !own->reduces)
        return fmt::format("{}  reads {}{}", text, own->value,
                           own->inCta ? ", which only its CTA sees" : ", which only it sees");
    return fmt::format(
        "{}  reads {}{}", text, all[step.version].value,
        own == nullptr && step.version + 1u < all.size() ? ", which is not the newest" : "");
}

std::string Machine::describe(const State& s, const Step& step) const
{
    switch (step.what) {
        case Step::What::Execute: return describeExecute(s, step);
        case Step::What::ToCta:
        case Step::What::ToEveryone: {
            const Pending& p = s.pending[step.index];
            const std::string what =
                test_.threads[p.thread].name + "'s " +
                (p.reduces ? "reduction of " : fmt::format("store of {} to ", p.value)) +
                test_.locations[p.location].name;
            return what + (step.what == Step::What::ToCta
                               ? " is performed towards " + where(test_, p.cta)
                               : " is performed towards everyone");
        }
        case Step::What::Packet: {
            const InFlight& f = s.flights[step.index];
            return (f.what == InFlight::What::Data
                        ? "the data of st.async reach " + test_.locations[f.location].name +
                              " and complete on "
                        : "a packet of " + where(test_, f.cta) + " reaches ") +
                   test_.locations[f.mbarrier].name;
        }
        case Step::What::Copy: {
            const InFlight& f = s.flights[step.index];
            return fmt::format("the copy from {} to {} moves {} and completes on {}",
                               test_.locations[f.from].name, test_.locations[f.location].name,
                               s.memory[test_.locations[f.from].root][step.version].value,
                               test_.locations[f.mbarrier].name);
        }
    }
    return {};
}

}  // namespace gsu::litmus
