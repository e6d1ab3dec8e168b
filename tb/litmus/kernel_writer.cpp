#include "litmus/kernel_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace gsu::litmus {
namespace {

constexpr unsigned kSlot = 64;        ///< bytes from one location to the next
constexpr std::int32_t kCopied = 16;  ///< bytes of a copy, the smallest size
constexpr Cycle kQuiet = 4000;        ///< clocks after which stores in flight on a GPU have arrived

const char* nameOfScope(Scope s)
{
    return s == Scope::Cta       ? ".cta"
           : s == Scope::Cluster ? ".cluster"
           : s == Scope::Gpu     ? ".gpu"
                                 : ".sys";
}

const char* nameOfOrder(Order o)
{
    constexpr const char* kNames[]{".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
    return kNames[static_cast<unsigned>(o)];
}

std::string orderOf(const Instruction& i)
{
    return i.weak ? ".weak" : std::string(nameOfOrder(i.sem)) + nameOfScope(i.scope);
}

std::string number(std::uint64_t n) { return std::to_string(n); }

}  // namespace

KernelWriter::KernelWriter(const Test& test) : test_(test)
{
    std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> clusters;
    for (unsigned c = 0; c < test.ctas.size(); ++c)
        clusters[{test.ctas[c].gpu, test.ctas[c].cluster}].push_back(c);
    if (test.clusters)
        for (const auto& [name, ctas] : clusters)
            clusterCtas_ = std::max(clusterCtas_, static_cast<unsigned>(ctas.size()));
    place_.resize(test.ctas.size());
    unsigned next = 0;
    for (const auto& [name, ctas] : clusters) {
        for (const unsigned c : ctas) place_[c] = next++;
        while (test.clusters && next % clusterCtas_ != 0) ++next;
    }
    grid_ = next;
    for (const Cta& c : test.ctas)
        warps_ = std::max(warps_, static_cast<unsigned>(c.threads.size()));
    scale_.assign(test.locations.size(), 1);
    for (const Thread& t : test.threads)
        for (const Instruction& i : t.code)
            if (i.kind == Kind::BulkCopy) scale_[i.mbarrier] = kCopied / kWord;
    for (const Thread& t : test.threads)
        for (const Instruction& i : t.code)
            if (i.kind == Kind::StAsync && scale_[i.mbarrier] != 1)
                why = "copies and st.async complete on one mbarrier";
    for (const Location& l : test.locations) {
        if (l.root != l.address || test.locations[l.root].name != l.name)
            why = "its locations have aliases";
        if (l.kind != Location::Kind::Global && !test.clusters && test.ctas.size() > 1)
            why = "shared memory of CTAs that are in no cluster";
    }
    if (clusterCtas_ > 8 || grid_ > 16) why = "it needs more CTAs than fit";
}

void KernelWriter::put(const std::string& text)
{
    text_ << text << '\n';
    line_ += 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

void KernelWriter::head(const char* moreParameters)
{
    put(".version 8.6\n.target sm_90\n.address_size 64");
    put(fmt::format(".visible .entry litmus(.param .u64 mem, .param .u64 out{})\n{{",
                    moreParameters));
    put(".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .b32 %q<64>;");
    put(".shared .align 16 .b8 sh[" +
        number(kSlot * std::max<std::size_t>(test_.locations.size(), 1)) + "];");
    put("ld.param.u64 %rd1, [mem]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %ctaid.x;");
}

void KernelWriter::begin()
{
    head("");
    dispatch();
}

void KernelWriter::beginMany()
{
    head(", .param .u32 seed, .param .u32 mask");
    put(fmt::format("div.u32 %r6, %r1, {0}; rem.u32 %r1, %r1, {0};", grid_));
    put(fmt::format("mad.wide.u32 %rd1, %r6, {}, %rd1; mad.wide.u32 %rd2, %r6, {}, %rd2;",
                    4 * words().size(), 4 * std::max<std::size_t>(test_.shown.size(), 1)));
    dispatch();
}

void KernelWriter::meet(unsigned thread, unsigned word, bool delayed)
{
    const std::size_t at = kSlot * test_.locations.size() + std::size_t{4} * word;
    const std::string label = "M" + number(labels_++);
    put("fence.sc.sys; bar.warp.sync 0xffffffff;");
    put(fmt::format("@%p1 red.release.gpu.global.add.u32 [%rd1+{}], 1;", at));
    put(fmt::format("{0}: ld.acquire.gpu.global.u32 %r7, [%rd1+{1}]; setp.lt.u32 %p3, %r7, {2}; "
                    "@%p3 bra {0};",
                    label, at, test_.threads.size()));
    put("mov.u64 %rd8, %clock64;");
    if (delayed)
        put(fmt::format("ld.param.u32 %r7, [seed]; mad.lo.u32 %r7, %r6, 0x9E3779B1, %r7; add.u32 "
                        "%r7, %r7, {}; mul.lo.u32 %r7, %r7, 0x85EBCA6B; shr.u32 %r8, %r7, 15; "
                        "xor.b32 %r7, %r7, %r8; mul.lo.u32 %r7, %r7, 0xC2B2AE35; shr.u32 %r7, "
                        "%r7, 12; ld.param.u32 %r8, [mask]; and.b32 %r7, %r7, %r8;",
                        thread * 0x27D4EB2Fu));
    else
        put(fmt::format("mov.u32 %r7, {};", kQuiet));
    put(fmt::format("cvt.u64.u32 %rd7, %r7; add.u64 %rd8, %rd8, %rd7; D{0}: mov.u64 %rd9, "
                    "%clock64; setp.lt.u64 %p3, %rd9, %rd8; @%p3 bra D{0}; bar.warp.sync "
                    "0xffffffff;",
                    label));
}

void KernelWriter::dispatch()
{
    put("mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 31; setp.eq.u32 %p1, %r3, 0; shr.u32 %r2, %r2, "
        "5;");
    for (unsigned c = 0; c < test_.ctas.size(); ++c)
        for (unsigned w = 0; w < test_.ctas[c].threads.size(); ++w)
            put("setp.eq.u32 %p2, %r1, " + number(place_[c]) + "; setp.eq.and.u32 %p2, %r2, " +
                number(w) + ", %p2; @%p2 bra T" + number(test_.ctas[c].threads[w]) + ";");
    put("ret;");
}

std::string KernelWriter::reg(unsigned thread, int index) const
{
    static_cast<void>(thread);
    return "%q" + number(static_cast<unsigned>(index));
}

std::string KernelWriter::operand(unsigned thread, const Value& v) const
{
    return v.reg < 0 ? std::to_string(v.number) : reg(thread, v.reg);
}

void KernelWriter::threadBegin(unsigned thread)
{
    put("T" + number(thread) + ":");
    const Thread& t = test_.threads[thread];
    if (t.init.size() > 64) why = "a thread has more than 64 registers";
    for (std::size_t r = 0; r < t.init.size(); ++r)
        put(fmt::format("mov.b32 {}, {};", reg(thread, static_cast<int>(r)), t.init[r]));
    if (test_.ctas[t.cta].threads.front() != thread) return;
    for (unsigned l = 0; l < test_.locations.size(); ++l) {
        const Location& where = test_.locations[l];
        if (where.kind == Location::Kind::Global || where.cta != t.cta) continue;
        const std::string at = "[sh+" + number(kSlot * l) + "]";
        put(where.kind == Location::Kind::Mbarrier
                ? fmt::format("@%p1 mbarrier.init.shared::cta.b64 {}, {};", at, where.init)
                : fmt::format("@%p1 st.shared::cta.u32 {}, {};", at, where.init));
    }
    put("fence.mbarrier_init.release.cluster;");
}

void KernelWriter::waitUntil(Cycle cycle)
{
    const std::string label = "W" + number(labels_++);
    put(label + ": mov.u64 %rd9, %clock64; setp.lt.u64 %p3, %rd9, " + number(cycle) +
        "; @%p3 bra " + label + ";");
}

std::string KernelWriter::address(unsigned thread, unsigned location)
{
    if (test_.locations[location].kind == Location::Kind::Global) {
        put("add.u64 %rd3, %rd1, " + number(kSlot * location) + ";");
        return ".global";
    }
    if (own(thread, location)) {
        put("mov.u64 %rd3, sh; add.u64 %rd3, %rd3, " + number(kSlot * location) + ";");
        return ".shared::cta";
    }
    clusterAddress(thread, location, "%rd3");
    return ".shared::cluster";
}

void KernelWriter::clusterAddress(unsigned thread, unsigned location, const char* to)
{
    static_cast<void>(thread);
    put(std::string("mov.u64 ") + to + ", sh; add.u64 " + to + ", " + to + ", " +
        number(kSlot * location) + "; mapa.shared::cluster.u64 " + to + ", " + to + ", " +
        number(rank(test_.locations[location].cta)) + ";");
}

void KernelWriter::memory(unsigned thread, const Instruction& i)
{
    if (i.proxy != Proxy::Generic) {
        why = "accesses of the " + std::string(nameOf(i.proxy)) + " proxy";
        return;
    }
    const std::string space = address(thread, i.location), order = orderOf(i),
                      value = i.kind == Kind::Load ? "" : operand(thread, i.a);
    if (i.kind == Kind::Load)
        return put("@%p1 ld" + order + space + ".u32 " + reg(thread, i.to) + ", [%rd3];");
    if (i.kind == Kind::Store)
        return put("@%p1 st" + order + space + ".u32 [%rd3], " + value + ";");
    static const std::map<Math, const char*> kNames{
        {Math::Add, ".add.u32"}, {Math::And, ".and.b32"},   {Math::Or, ".or.b32"},
        {Math::Xor, ".xor.b32"}, {Math::Exch, ".exch.b32"}, {Math::Cas, ".cas.b32"}};
    const bool subtracts = i.math == Math::Sub;
    const auto name = kNames.find(subtracts ? Math::Add : i.math);
    if (name == kNames.end() || (i.kind == Kind::Red && i.math >= Math::Exch)) {
        why = i.text + " is no operation of PTX";
        return;
    }
    put("mov.b32 %r4, " + value + ";" + (subtracts ? " neg.s32 %r4, %r4;" : ""));
    const std::string swap = i.math == Math::Cas ? ", " + operand(thread, i.b) : "";
    if (i.kind == Kind::Red)
        return put("@%p1 red" + order + space + name->second + " [%rd3], %r4;");
    put("@%p1 atom" + order + space + name->second + " " + reg(thread, i.to) + ", [%rd3], %r4" +
        swap + ";");
}

void KernelWriter::fence(const Instruction& i)
{
    if (i.kind == Kind::MbarrierInitFence) return put("fence.mbarrier_init.release.cluster;");
    if (i.kind == Kind::ProxyFence) {
        if (i.proxy == Proxy::Async) return put("fence.proxy.async;");
        why = i.text + " has no use in a kernel";
        return;
    }
    const bool half =
        i.sem == Order::Acquire || i.sem == Order::Release;  // newer than the target of the kernel
    put(std::string("fence") + nameOfOrder(half ? Order::AcqRel : i.sem) + nameOfScope(i.scope) +
        ";");
}

std::string KernelWriter::bytes(unsigned thread, unsigned mbarrier, const Value& v)
{
    if (scale_[mbarrier] == 1) return operand(thread, v);
    if (v.reg >= 0) why = "bytes in a register";
    return std::to_string(v.number * scale_[mbarrier]);
}

void KernelWriter::mbarrier(unsigned thread, const Instruction& i)
{
    const std::string space = address(thread, i.mbarrier);
    const std::string order =
        std::string(i.sem == Order::AcqRel || i.sem == Order::Sc ? ".release"
                                                                 : nameOfOrder(i.sem)) +
        nameOfScope(i.scope);
    if (i.kind == Kind::MbarWait) {
        const std::string label = "W" + number(labels_++);
        return put(label + ": mbarrier.try_wait.parity" + order + ".shared::cta.b64 %p3, [%rd3], " +
                   operand(thread, i.a) + "; @!%p3 bra " + label + ";");
    }
    if (i.kind == Kind::MbarExpectTx)
        return put("@%p1 mbarrier.expect_tx.relaxed" + std::string(nameOfScope(i.scope)) + space +
                   ".b64 [%rd3], " + bytes(thread, i.mbarrier, i.a) + ";");
    const bool expects = i.b.reg >= 0 || i.b.number != 0;
    put("@%p1 mbarrier.arrive" + std::string(expects ? ".expect_tx" : "") + order + space +
        ".b64 _, [%rd3]" + (expects ? ", " + bytes(thread, i.mbarrier, i.b) : "") + ";");
}

void KernelWriter::copy(unsigned thread, const Instruction& i)
{
    clusterAddress(thread, i.location, "%rd4");
    clusterAddress(thread, i.mbarrier, "%rd5");
    if (i.kind == Kind::StAsync) {
        if (own(thread, i.location)) why = "st.async to the own CTA (RASYNC-015)";
        return put("@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%rd4], " +
                   (i.a.reg < 0 ? "%r4" : operand(thread, i.a)) + ", [%rd5];");
    }
    const std::string from = address(thread, i.from);
    if (from == ".shared::cluster")
        why = "a copy reads the own CTA's shared memory or global memory";
    put(fmt::format("@%p1 cp.async.bulk.shared::cluster{}.mbarrier::complete_tx::bytes [%rd4], "
                    "[%rd3], {}, [%rd5];",
                    from, kCopied));
}

void KernelWriter::arithmetic(unsigned thread, const Instruction& i)
{
    static const std::map<Math, const char*> kNames{
        {Math::Add, "add.s32"}, {Math::Sub, "sub.s32"}, {Math::Mul, "mul.lo.s32"},
        {Math::Div, "div.s32"}, {Math::And, "and.b32"}, {Math::Or, "or.b32"},
        {Math::Xor, "xor.b32"}};
    if (i.kind == Kind::Move)
        return put("mov.b32 " + reg(thread, i.to) + ", " + operand(thread, i.a) + ";");
    put("mov.b32 %r4, " + operand(thread, i.a) + "; " + kNames.at(i.math) + " " +
        reg(thread, i.to) + ", %r4, " + operand(thread, i.b) + ";");
}

void KernelWriter::instruction(unsigned thread, const Instruction& i)
{
    const std::string count = number(32 * i.count);
    switch (i.kind) {
        case Kind::Load:
        case Kind::Store:
        case Kind::Atom:
        case Kind::Red: return memory(thread, i);
        case Kind::Fence:
        case Kind::ProxyFence:
        case Kind::MbarrierInitFence: return fence(i);
        case Kind::Move:
        case Kind::Arithmetic: return arithmetic(thread, i);
        case Kind::BarSync:
            return put("barrier.cta.sync " + operand(thread, i.barrier) + ", " + count + ";");
        case Kind::BarArrive:
            return put("barrier.cta.arrive " + operand(thread, i.barrier) + ", " + count + ";");
        case Kind::ClusterArrive:
            return put(std::string("barrier.cluster.arrive") +
                       (i.sem == Order::Relaxed ? ".relaxed;" : ".release;"));
        case Kind::ClusterWait: return put("barrier.cluster.wait.acquire;");
        case Kind::MbarArrive:
        case Kind::MbarExpectTx:
        case Kind::MbarWait: return mbarrier(thread, i);
        case Kind::StAsync: put("mov.b32 %r4, " + operand(thread, i.a) + ";"); [[fallthrough]];
        case Kind::BulkCopy: return copy(thread, i);
        case Kind::Branch:
        case Kind::Goto: return;  // the witness determines where they lead
    }
}

void KernelWriter::threadEnd(unsigned thread, Cycle end)
{
    waitUntil(end);
    show(thread);
}

void KernelWriter::show(unsigned thread)
{
    for (std::size_t k = 0; k < test_.shown.size(); ++k) {
        const Condition::Term& t = test_.shown[k];
        const std::string to = "[%rd2+" + number(4 * k) + "]";
        if (t.kind == Condition::Term::Kind::Register) {
            if (t.thread == thread)
                put("@%p1 st.global.u32 " + to + ", " + reg(thread, static_cast<int>(t.index)) +
                    ";");
            continue;
        }
        const Location& l = test_.locations[t.index];
        const unsigned by =
            l.kind == Location::Kind::Global ? 0 : test_.ctas[l.cta].threads.front();
        if (by != thread) continue;
        const std::string space = address(thread, t.index);
        put("@%p1 ld.relaxed.sys" + space + ".u32 %r4, [%rd3]; @%p1 st.global.u32 " + to +
            ", %r4;");
    }
    put("ret;");
}

std::string KernelWriter::finish()
{
    put("}");
    return text_.str();
}

std::vector<std::int64_t> KernelWriter::words() const
{
    std::vector<std::int64_t> words((test_.locations.size() + 1) * kSlot / 4);
    for (std::size_t l = 0; l < test_.locations.size(); ++l)
        words[l * kSlot / 4] = test_.locations[l].init;
    return words;
}

std::string KernelWriter::launch(const std::string& ptxName) const
{
    std::vector<std::int64_t> initial = words();
    initial.resize(std::max<std::size_t>(test_.locations.size() * kSlot / 4, 1));
    std::string text = "{\"ptx\": \"" + ptxName + "\", \"grid\": [" + number(grid_) +
                       "], \"block\": [" + number(32 * warps_) + "], ";
    if (clusterCtas_ > 1) text += "\"cluster\": [" + number(clusterCtas_) + "], ";
    if (grid_ > 1) text += "\"sms\": " + number(std::max(clusterCtas_, std::min(grid_, 4u))) + ", ";
    text += fmt::format("\"params\": [{{\"buffer\": {{\"type\": \"i32\", \"count\": {}, "
                        "\"init\": {{\"values\": [{}]}}}}}}, ",
                        initial.size(), fmt::join(initial, ","));
    return text + "{\"buffer\": {\"type\": \"i32\", \"count\": " +
           number(std::max<std::size_t>(test_.shown.size(), 1)) + "}}]}\n";
}

}  // namespace gsu::litmus
