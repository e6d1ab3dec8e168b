// GSU in the place of GPGPU-Sim's barrier_set_t. A library to be loaded before GPGPU-Sim's libcudart.so (LD_PRELOAD): it defines the members of
// barrier_set_t, which the simulator calls through its symbol table, and keeps its own state beside each object, so that neither the
// checkout nor its build changes. bar_impl and bar_callback are in it as well: the first to see each lane's predicate of bar.red, the second to
// hand the result back. Made for the development branch of 2024; environment: GSU_UNIT, GSU_PRESET, GSU_SETTINGS, GSU_REPORT=1.
// Licence: Apache-2.0.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "cuda-sim/ptx_ir.h"
#include "cuda-sim/ptx_sim.h"
#include "gpgpu-sim/gpu-sim.h"
#include "gpgpu-sim/shader.h"
#include "gpgpu_context.h"
#include "sm_unit.hpp"

using yyscan_t = void*;  // type of the generated parser, for its tokens
class ptx_recognizer;
#include "ptx.tab.h"

static_assert(WARP_PER_CTA_MAX == SmUnit::kWarps, "this checkout has other warp sets");

namespace {

constexpr unsigned kNoCount = ~0u;

/// State of one barrier_set_t: its unit, each warp's predicates for its next bar.red, and the result of the last one.
struct BarrierState {
    std::unique_ptr<SmUnit> unit;
    std::uint32_t pred[SmUnit::kWarps]{};      ///< lanes whose predicate is true
    std::uint32_t executed[SmUnit::kWarps]{};  ///< lanes that have executed it
    SmUnit::Release result{};
};

std::map<const barrier_set_t*, std::unique_ptr<BarrierState>>& states()
{
    static auto& all = *new std::map<const barrier_set_t*, std::unique_ptr<BarrierState>>;
    return all;
}

std::map<const core_t*, BarrierState*>& cores()
{
    static auto& all = *new std::map<const core_t*, BarrierState*>;
    return all;
}

BarrierState* stateOf(const core_t* core)
{
    const auto found = cores().find(core);
    return found == cores().end() ? nullptr : found->second;
}

template <class Function> Function next(const char* name)
{
    void* symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        std::fprintf(stderr,
                     "gsu: no %s behind this library: it goes before GPGPU-Sim's libcudart.so\n",
                     name);
        std::abort();
    }
    return reinterpret_cast<Function>(symbol);
}

unsigned reduction(unsigned op)
{
    return op == ATOMIC_AND  ? GSU_OP_BAR_RED_AND
           : op == ATOMIC_OR ? GSU_OP_BAR_RED_OR
                             : GSU_OP_BAR_RED_POPC;
}

void report()
{
    const SmUnit::Totals& t = SmUnit::totals;
    std::fprintf(stderr,
                 "gsu: %llu requests, %llu releases, %llu cycles of SMs, of which %llu evaluated, "
                 "in %.3f s\n",
                 static_cast<unsigned long long>(t.requests),
                 static_cast<unsigned long long>(t.releases),
                 static_cast<unsigned long long>(t.cycles),
                 static_cast<unsigned long long>(t.steps), double(t.nanoseconds) * 1e-9);
}

unsigned long long nowOf(shader_core_ctx* shader)
{
    return shader->get_gpu()->gpu_tot_sim_cycle + shader->get_gpu()->gpu_sim_cycle;
}

}  // namespace

barrier_set_t::barrier_set_t(shader_core_ctx* shader, unsigned max_warps_per_core,
                             unsigned max_cta_per_core, unsigned max_barriers_per_cta,
                             unsigned warp_size)
    : m_max_cta_per_core(max_cta_per_core),
      m_max_warps_per_core(max_warps_per_core),
      m_max_barriers_per_cta(max_barriers_per_cta),
      m_warp_size(warp_size),
      m_shader(shader)
{
    if (max_warps_per_core > SmUnit::kWarps || max_cta_per_core > SmUnit::kCtas ||
        warp_size != SmUnit::kLanes) {
        std::fprintf(stderr, "gsu: %u warps, %u CTAs, %u lanes: a unit has 64, 32 and 32\n",
                     max_warps_per_core, max_cta_per_core, warp_size);
        std::exit(2);
    }
    if (states().empty() && std::getenv("GSU_REPORT")) std::atexit(report);
    auto mine = std::make_unique<BarrierState>();
    BarrierState* at = mine.get();
    // m_sid of the shader is not set yet: SMs are counted as they are made.
    mine->unit =
        std::make_unique<SmUnit>(unsigned(states().size()), [this, at](const SmUnit::Release& r) {
            at->result = r;
            m_shader->broadcast_barrier_reduction(r.cta, r.barrier, r.warps);
        });
    cores()[shader] = at;
    states()[this] = std::move(mine);
}

void barrier_set_t::allocate_barrier(unsigned cta_id, warp_set_t warps)
{
    states()[this]->unit->launch(cta_id, warps, nowOf(m_shader));
}

void barrier_set_t::deallocate_barrier(unsigned) {}  // the unit ends a CTA with its last warp

void barrier_set_t::warp_reaches_barrier(unsigned cta_id, unsigned warp_id, warp_inst_t* inst)
{
    BarrierState& my = *states()[this];
    const bool red = inst->bar_type == RED;
    unsigned op = inst->bar_type == ARRIVE ? GSU_OP_BAR_ARRIVE : GSU_OP_BAR_SYNC;
    std::uint32_t pred = 0;
    if (red) {
        op = reduction(static_cast<const ptx_instruction*>(
                           m_shader->get_gpu()->gpgpu_ctx->ptx_fetch_inst(inst->pc))
                           ->get_atomic());
        pred = my.pred[warp_id];
        if (op == GSU_OP_BAR_RED_AND)
            pred |= ~my.executed[warp_id];  // lanes that do not take part are neutral
        my.pred[warp_id] = my.executed[warp_id] = 0;
    }
    // bar.red without a count has the CTA's threads as its count; if these are no whole warps, PTX has no such count.
    const unsigned threads =
        inst->bar_count == kNoCount || (red && inst->bar_count % m_warp_size != 0)
            ? 0
            : inst->bar_count;
    my.unit->request(op, cta_id, warp_id, inst->bar_id, threads, pred, nowOf(m_shader));
}

void barrier_set_t::warp_exit(unsigned warp_id)
{
    states()[this]->unit->exit(warp_id, nowOf(m_shader));
}

bool barrier_set_t::warp_waiting_at_barrier(unsigned warp_id) const
{
    return states()[this]->unit->waits(warp_id, nowOf(m_shader));
}

void barrier_set_t::dump()
{
    std::printf("barriers: %s\n", states()[this]->unit->explain().c_str());
}

/// The functional part of bar, for each lane: records the lane's predicate and leaves the rest to the simulator.
void bar_impl(const ptx_instruction* pI, ptx_thread_info* thread)
{
    static const auto theirs = next<void (*)(const ptx_instruction*, ptx_thread_info*)>(
        "_Z8bar_implPK15ptx_instructionP15ptx_thread_info");
    BarrierState* my = stateOf(thread->get_core());
    if (my && pI->barrier_op() == RED_OPTION) {
        const operand_info& source = pI->get_num_operands() > 3 ? pI->src3() : pI->src2();
        const bool isTrue = (thread->get_operand_value(source, source, PRED_TYPE, thread, 1).pred &
                             1) == 0;  // bit 0: is zero
        const unsigned warp = thread->get_hw_wid();
        const std::uint32_t lane = 1u << thread->get_hw_tid() % SmUnit::kLanes;
        my->executed[warp] |= lane;
        if (isTrue) my->pred[warp] |= lane;
    }
    theirs(pI, thread);
}

/// Gives the result of bar.red to one lane when its warp is released; also called for bar.sync, which has no result.
void bar_callback(const inst_t* inst, ptx_thread_info* thread)
{
    static const auto theirs = next<void (*)(const inst_t*, ptx_thread_info*)>(
        "_Z12bar_callbackPK6inst_tP15ptx_thread_info");
    const BarrierState* my = stateOf(thread->get_core());
    const auto* pI = dynamic_cast<const ptx_instruction*>(inst);
    if (!my) return theirs(inst, thread);
    if (pI->barrier_op() != RED_OPTION) return;
    ptx_reg_t value;
    value.u64 = 0;
    if (pI->get_atomic() == ATOMIC_POPC) {
        value.u32 = my->result.popc;
    } else {
        value.pred = !(pI->get_atomic() == ATOMIC_AND ? my->result.all : my->result.any);
    }
    thread->set_operand_value(pI->dst(), value,
                              pI->get_atomic() == ATOMIC_POPC ? U32_TYPE : PRED_TYPE, thread, pI);
}
