#include "capi/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "capi/c_records.gen.hpp"

namespace gsu::capi {

namespace {

/// The caller's structure at this library's size. A larger one is accepted if its unknown members are 0, a smaller one from `oldest` on:
/// members that it lacks are 0.
template <typename T> T sized(const T* in, const char* name, std::size_t oldest = sizeof(T))
{
    if (in == nullptr) throw Refusal{GSU_E_ARGUMENT, std::string(name) + " is NULL"};
    const std::size_t size = in->size;
    if (size < oldest)
        throw Refusal{GSU_E_VERSION, fmt::format("{}: size {} is below {}; was GSU_INIT forgotten?",
                                                 name, size, oldest)};
    const auto* bytes = reinterpret_cast<const unsigned char*>(in);
    if (size > sizeof(T) &&
        std::any_of(bytes + sizeof(T), bytes + std::min<std::size_t>(size, 4096),
                    [](unsigned char byte) { return byte != 0; }))
        throw Refusal{GSU_E_VERSION,
                      std::string(name) + " uses members that this library does not know"};
    T out{};
    std::memcpy(&out, in, std::min(size, sizeof(T)));
    return out;
}

void require(bool good, const char* reason)
{
    if (!good) throw Refusal{GSU_E_ARGUMENT, reason};
}

template <typename T> T start()
{
    T out{};
    out.size = sizeof(T);
    return out;
}

/// A record of the port from its C structure, and the reverse.
template <typename Record> Record copied(const auto& in)
{
    Record out;
    copyMembers(in, out);
    return out;
}
template <typename T> T started(const auto& in)
{
    auto out = start<T>();
    copyMembers(in, out);
    return out;
}

}  // namespace

SyncRequest fromC(const gsu_request* in)
{
    const gsu_request r = sized(in, "gsu_request");
    require(r.reserved[0] == 0 && r.reserved[1] == 0 && r.reserved2 == 0,
            "gsu_request: a reserved member is not 0");
    require(r.sem <= GSU_SEM_ACQ_REL, "gsu_request: sem is none of gsu_sem");
    require(r.scope <= GSU_SCOPE_SYS, "gsu_request: scope is none of gsu_scope");
    return copied<SyncRequest>(r);
}

Launch fromC(const gsu_launch* in)
{
    gsu_launch l = sized(in, "gsu_launch", offsetof(gsu_launch, era));
    require((l.reserved[0] | l.reserved[1]) == 0, "gsu_launch: a reserved member is not 0");
    l.ctas = std::max<std::uint8_t>(l.ctas, 1);
    return copied<Launch>(l);
}

Exit fromC(const gsu_exit* in) { return copied<Exit>(sized(in, "gsu_exit")); }

ClusterRoute fromC(const gsu_route* in)
{
    const gsu_route r = sized(in, "gsu_route");
    require((r.reserved[0] | r.reserved[1] | r.reserved[2]) == 0,
            "gsu_route: a reserved member is not 0");
    require(r.ctas >= 2, "gsu_route: a cluster of one CTA needs no route");
    return copied<ClusterRoute>(r);
}

GridInput fromC(const gsu_grid* in)
{
    const gsu_grid g = sized(in, "gsu_grid");
    require(g.what <= GSU_GRID_FEWER, "gsu_grid: what is none of gsu_grid_what");
    return {g.network,
            {.grid = g.grid,
             .ctas = g.ctas,
             .prereqs = g.prereqs,
             .ended = g.what == GSU_GRID_ENDED,
             .fewer = g.what == GSU_GRID_FEWER}};
}

AsyncUpdate fromC(const gsu_async* in)
{
    const gsu_async a = sized(in, "gsu_async");
    require(a.reserved == 0, "gsu_async: a reserved member is not 0");
    require(a.tag <= 4095, "gsu_async: the tag is above 4095");
    return copied<AsyncUpdate>(a);
}

Accesses fromC(const gsu_accesses* in)
{
    const gsu_accesses a = sized(in, "gsu_accesses");
    require((a.reserved[0] | a.reserved[1] | a.reserved[2]) == 0,
            "gsu_accesses: a reserved member is not 0");
    require(a.reach <= GSU_REACH_EVERYONE, "gsu_accesses: reach is none of gsu_reach");
    require(a.epoch <= 1, "gsu_accesses: epoch is 0 or 1");
    require(a.count >= 1 && a.count <= 0xffff, "gsu_accesses: count is 1 to 65535");
    return copied<Accesses>(a);
}

CancelAnswer fromC(const gsu_cancel_answer* in)
{
    const gsu_cancel_answer a = sized(in, "gsu_cancel_answer");
    require(a.reserved == 0 && a.reserved2 == 0, "gsu_cancel_answer: a reserved member is not 0");
    require(a.canceled <= 1, "gsu_cancel_answer: canceled is 0 or 1");
    return copied<CancelAnswer>(a);
}

gsu_callbacks callbacksOf(const gsu_callbacks* in)
{
    if (in == nullptr) return start<gsu_callbacks>();
    const gsu_callbacks out = sized(in, "gsu_callbacks", offsetof(gsu_callbacks, on_finding));
    require(out.reserved == 0, "gsu_callbacks: a reserved member is not 0");
    require((out.read_word == nullptr) == (out.write_word == nullptr),
            "gsu_callbacks: read_word and write_word come together");
    return out;
}

gsu_options optionsOf(const gsu_options* in)
{
    const gsu_options out = sized(in, "gsu_options", offsetof(gsu_options, threads));
    if (out.abi >> 16 != GSU_ABI_MAJOR || (out.abi & 0xffff) > GSU_ABI_MINOR)
        throw Refusal{GSU_E_VERSION,
                      fmt::format("gsu_options: abi {}.{}, this library has {}.{}", out.abi >> 16,
                                  out.abi & 0xffff, GSU_ABI_MAJOR, GSU_ABI_MINOR)};
    require(out.reserved == 0 && out.reserved2 == 0, "gsu_options: a reserved member is not 0");
    require(out.threads <= 2, "gsu_options: threads is 1 or 2");
    require(out.events <= (GSU_EVENTS_CANCEL << 1) - 1, "gsu_options: events is no gsu_event_mask");
    require(out.journal <= 1, "gsu_options: journal is 0 or 1");
    return out;
}

gsu_waves fromC(const gsu_waves* in)
{
    const gsu_waves out = sized(in, "gsu_waves");
    require(out.reserved == 0, "gsu_waves: a reserved member is not 0");
    require(out.path != nullptr && *out.path != '\0', "gsu_waves: no path");
    require(out.to == 0 || out.from <= out.to, "gsu_waves: from is after to");
    return out;
}

gsu_response toC(const SyncResponse& in) { return started<gsu_response>(in); }

gsu_release toC(const Release& in) { return started<gsu_release>(in); }

gsu_commit toC(const Commit& in) { return started<gsu_commit>(in); }

gsu_finding toC(const FindingRule& rule, const Commit& in)
{
    auto out = start<gsu_finding>();
    out.tag = in.tag;
    out.part = std::uint8_t(rule.unit);
    out.op = std::uint8_t(in.op);
    out.sm = in.at.sm;
    out.cta = in.at.cta;
    out.warp = in.at.warp;
    out.severity = std::uint8_t(rule.severity);
    out.effect = std::uint8_t(rule.effect);
    out.misuse = std::uint8_t(rule.ub);
    out.lanes = in.lanes;
    out.object = in.object;
    out.cycle = in.cycle;
    out.rule = rule.rule;
    out.message = rule.message;
    return out;
}

gsu_finding toC(const FindingRule& rule, const MbarNote& note, const Commit* commit, Cycle now)
{
    Commit none;
    none.op = Op::None;
    none.at = {note.sm, 0xff, 0xff};
    none.cycle = now;
    gsu_finding out = toC(rule, commit != nullptr ? *commit : none);
    out.address = note.address;
    return out;
}

gsu_delivered toC(const Delivered& in) { return started<gsu_delivered>(in); }

gsu_grid_event toC(const GridEvent& in) { return started<gsu_grid_event>(in); }

gsu_cancel toC(const CancelQuery& in) { return started<gsu_cancel>(in); }

gsu_cta_free toC(const CtaFree& in) { return started<gsu_cta_free>(in); }

}  // namespace gsu::capi
