#include "fuzz/round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gsu::fuzz {

std::uint32_t Mix::operator()(std::uint32_t acc, std::uint32_t value) const noexcept
{
    switch (kind) {
        case 0: return acc * a + value;
        case 1: return (acc ^ value) + b;
        default: return std::rotl(acc, static_cast<int>(a & 31)) + value;
    }
}

Round::Round(Kernel& kernel, State& state, const ProgramPlan& program, std::uint64_t seed,
             std::vector<Lanes> lanes, Preamble& before)
    : random(seed),
      k(kernel),
      s(state),
      plan(program),
      shape(program.shape),
      lanes_(std::move(lanes)),
      full_(true),
      before_(before)
{
    whole_ = lanes_ == s.live;
    for (unsigned w = 0; w < lanes_.size(); ++w) {
        if (lanes_[w] == 0) continue;
        ++warps_;
        full_ = full_ && lanes_[w] == ~Lanes{0};
        for (unsigned l = 0; l < 32; ++l) {
            if ((lanes_[w] >> l & 1) != 0) tids_.push_back(32 * w + l);
        }
    }
}

Thread Round::thread(unsigned cta, unsigned tid) const
{
    return {cta,      cta % shape.clusterSize,
            tid,      tid / 32,
            tid % 32, std::size_t{cta} * shape.threads + tid};
}

void Round::each(const std::function<void(const Thread&)>& visit, Lanes select) const
{
    for (unsigned cta = 0; cta < shape.ctas(); ++cta) {
        for (const unsigned tid : tids_) {
            if ((select >> tid % 32 & 1) != 0) visit(thread(cta, tid));
        }
    }
}

void Round::apply(const Mix& mix, const std::function<std::uint32_t(const Thread&)>& value,
                  Lanes select)
{
    std::vector<std::uint32_t> next = s.acc;
    each([&](const Thread& t) { next[t.gid] = mix(s.acc[t.gid], value(t)); }, select);
    s.acc = std::move(next);
}

std::vector<std::uint32_t> Round::permutation()
{
    std::vector<unsigned> order = tids_;
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    std::vector<std::uint32_t> out(shape.threads, 0);
    for (std::size_t i = 0; i < order.size(); ++i) out[tids_[i]] = order[i];
    return out;
}

Mix Round::drawMix() { return {random.below(3), random.word() | 1, random.word()}; }

void Round::emitMix(const Mix& mix, const std::string& value)
{
    switch (mix.kind) {
        case 0: k.op("mad.lo.u32 %acc, %acc, {}, {}", mix.a, value); break;
        case 1:
            k.op("xor.b32 %acc, %acc, {}", value);
            k.op("add.u32 %acc, %acc, {}", mix.b);
            break;
        default:
            k.op("shf.l.wrap.b32 %acc, %acc, %acc, {}", mix.a & 31);
            k.op("add.u32 %acc, %acc, {}", value);
    }
}

std::string Round::lookUp(const std::vector<std::uint32_t>& values)
{
    const bool constant = std::all_of(
        tids_.begin(), tids_.end(), [&](unsigned tid) { return values[tid] == values[tids_[0]]; });
    const std::string value = k.b32();
    if (constant) {
        k.op("mov.u32 {}, {}", value, values[tids_[0]]);
        return value;
    }
    const std::string base = k.b64(), offset = k.b64();
    k.op("mov.u64 {}, {}", base, k.table(values));
    k.op("mul.wide.u32 {}, %me, 4", offset);
    k.op("add.u64 {0}, {0}, {1}", base, offset);
    k.op("ld.global.u32 {}, [{}]", value, base);
    return value;
}

std::string Round::number(std::uint32_t value)
{
    if (random.chance(60)) return std::to_string(value);
    const std::string r = k.b32();
    k.op("mov.u32 {}, {}", r, value);
    return r;
}

std::string Round::isTid(unsigned tid)
{
    const std::string p = k.pred();
    k.op("setp.eq.u32 {}, %me, {}", p, tid);
    return p;
}

std::string Round::isRank(unsigned rank)
{
    const std::string p = k.pred();
    k.op("setp.eq.u32 {}, %myrank, {}", p, rank);
    return p;
}

void Round::only(const std::string& pred, const std::function<void()>& body, bool negate)
{
    const std::string end = k.newLabel();
    k.op("@{}{} bra {}", negate ? "" : "!", pred, end);
    body();
    k.label(end);
}

std::string Round::at(unsigned offset)
{
    return fmt::format("{}{}", random.chance(50) ? "smem+" : "%sm+", offset);
}

std::string Round::cell(unsigned offset, const std::string& index, unsigned stride)
{
    const std::string a = k.b32();
    k.op("mad.lo.u32 {}, {}, {}, %sm", a, index, stride);
    k.op("add.u32 {0}, {0}, {1}", a, offset);
    return a;
}

std::string Round::word(const char* base, unsigned first, const std::string& index, unsigned stride)
{
    const std::string a = k.b64();
    k.op("mad.wide.u32 {}, {}, {}, {}", a, index, stride, base);
    if (first != 0) k.op("add.u64 {0}, {0}, {1}", a, 4 * first);
    return a;
}

std::string Round::mapa(const std::string& address, const std::string& rank)
{
    const std::string a = k.b32();
    k.op("mapa.shared::cluster.u32 {}, {}, {}", a, address, rank);
    return a;
}

std::string Round::generic(const std::string& address)
{
    const std::string a = k.b64();
    k.op("cvt.u64.u32 {}, {}", a, address);
    k.op("cvta.shared::cluster.u64 {0}, {0}", a);
    return a;
}

std::string Round::rankPlus(unsigned distance)
{
    const std::string r = k.b32();
    k.op("add.u32 {}, %myrank, {}", r, distance % ranks());
    k.op("rem.u32 {0}, {0}, {1}", r, ranks());
    return r;
}

void Round::repeat(unsigned count, const std::function<void(const Iteration&)>& body)
{
    if (count == 1 || !has(Feature::Loops) || random.chance(40)) {
        for (unsigned i = 0; i < count; ++i)
            body({std::to_string(i), std::to_string(i & 1), static_cast<int>(i), count});
        return;
    }
    const std::string i = k.b32(), parity = k.b32(), again = k.pred(), top = k.newLabel();
    k.op("mov.u32 {}, 0", i);
    k.label(top);
    k.op("and.b32 {}, {}, 1", parity, i);
    body({i, parity, -1, count});
    k.op("add.u32 {0}, {0}, 1", i);
    k.op("setp.lt.u32 {}, {}, {}", again, i, count);
    k.op("@{} bra {}", again, top);
}

void Round::unlessFirst(const Iteration& it, const std::function<void()>& body)
{
    if (it.known == 0) return;
    if (it.known > 0) return body();
    const std::string p = k.pred();
    k.op("setp.ne.u32 {}, {}, 0", p, it.index);
    only(p, body);
}

void Round::unlessLast(const Iteration& it, const std::function<void()>& body)
{
    if (it.known >= 0) {
        if (it.known + 1 != static_cast<int>(it.count)) body();
        return;
    }
    const std::string p = k.pred();
    k.op("setp.ne.u32 {}, {}, {}", p, it.index, it.count - 1);
    only(p, body);
}

void Round::sides(const std::function<void(Lanes select)>& body)
{
    if (!has(Feature::Divergence) || random.chance(50)) return body(~Lanes{0});
    const Lanes kinds[] = {0x0000ffffu, 0x55555555u, Lanes{1} << random.below(32), random.word()};
    const Lanes select = random.pick(kinds);
    const std::string bit = k.b32(), p = k.pred(), other = k.newLabel(), end = k.newLabel();
    k.op("shr.u32 {}, {}, %mylane", bit, select);
    k.op("and.b32 {0}, {0}, 1", bit);
    k.op("setp.ne.u32 {}, {}, 0", p, bit);
    k.op("@!{} bra {}", p, other);
    body(select);
    k.op("bra {}", end);
    k.label(other);
    body(~select);
    k.label(end);
}

std::string Round::mask(Lanes select)
{
    std::vector<std::uint32_t> values(shape.threads, 0);
    bool same = true;
    Lanes first = 0;
    for (const unsigned tid : tids_) {
        if ((select >> tid % 32 & 1) == 0) continue;
        values[tid] = lanes_[tid / 32] & select;
        if (first == 0) first = values[tid];
        same = same && values[tid] == first;
    }
    if (same) return number(first);
    return lookUp(values);
}

}  // namespace gsu::fuzz
