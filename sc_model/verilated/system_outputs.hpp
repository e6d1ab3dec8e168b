/// Outputs of the models after a cycle: serves memory accesses and reports commits and answers to the sink. Included by system.hpp only.
#pragma once
#include "verilated/system.hpp"

namespace gsu {

/// Notes the consequences of an SM's outputs after this cycle for the next ones.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::noteState(unsigned sm)
{
    Slot& slot = slots_[sm];
    const VSm& m = *slot.model;
    const auto assign = [sm](std::uint32_t& mask, bool bit) {
        mask = (mask & ~(1u << sm)) | std::uint32_t(bit) << sm;
    };
    assign(awake_, !m.idle_o);
    assign(talking_, m.tx_valid_o || m.ack_valid_o || m.cb_up_valid_o || m.gd_up_valid_o);
    assign(rxReady_, m.rx_ready_o);
    assign(dnReady_, m.cb_dn_ready_o);
    Cycle wake = m.next_event_o == kNoEvent ? kNever : m.next_event_o;
    if (!inputs[sm].reads.empty()) wake = std::min(wake, inputs[sm].reads.front().due);
    const Cycle before = std::exchange(slot.wake, wake);
    if (wake <= earliest_)
        earliest_ = wake;
    else if (before == earliest_)
        laterOnly_ = true;
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::noteDeadlines()
{
    if (!std::exchange(laterOnly_, false)) return;
    earliest_ = kNever;
    for (const Slot& slot : slots_) earliest_ = std::min(earliest_, slot.wake);
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::serveMemory(unsigned sm)
{
    VSm& model = *slots_[sm].model;
    if (!model.mem_req_valid_o) return;
    const auto access = load<raw::MemReq>(model.mem_req_o);
    SmInputs& in = inputs[sm];
    if (std::size_t(access.addr >> 3) < in.used.size()) in.used[access.addr >> 3] = true;
    const auto id = std::uint8_t(sm);
    if (!access.we) {
        in.reads.push_back(
            {now + config_.smem_lat, memory ? memory->readWord(id, access.addr) : 0});
    } else if (memory) {
        std::uint64_t keep = 0;
        for (unsigned b = 0; b < 8; ++b)
            if (!(access.be >> b & 1)) keep |= std::uint64_t{0xff} << (8 * b);
        const std::uint64_t old = keep != 0 ? memory->readWord(id, access.addr) & keep : 0;
        memory->writeWord(id, access.addr, old | (access.wdata & ~keep));
    }
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::tap(unsigned sm, Unit unit, const auto& port)
{
    const auto t = load<raw::Tap>(port);
    if (t.op == Op::EvDelivered) return;  // its port reports it to the sink
    auto commit = recordOf<Commit>(t, std::uint8_t(sm), now);
    commit.seq = seq++;
    commit.unit = unit;
    sink->onCommit(commit);
}

/// Reports data to be performed, and a query of try_cancel.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::deliver(unsigned sm)
{
    const VSm& m = *slots_[sm].model;
    const auto id = std::uint8_t(sm);
    if (m.dlv_valid_o) {
        const auto d = load<raw::Deliver>(m.dlv_o);
        auto delivered = recordOf<Delivered>(d, id, now);
        delivered.lanes = ~(~Lanes{1} << d.more) << d.lane;
        sink->onDelivered(delivered);
    }
    if (!m.clc_req_valid_o) return;
    sink->onCancel(recordOf<CancelQuery>(load<raw::ClcReq>(m.clc_req_o), id, now));
}

/// Reports commits first, then their consequences (D-02): a response never precedes its commit.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::report(unsigned sm)
{
    VSm& m = *slots_[sm].model;
    bool clocked = true;  // otherwise the pulses at most of its ports are old
    if constexpr (requires { m.coreClocked(); }) clocked = m.coreClocked();
    if (clocked) {
        if (m.tap_ct_valid_o) tap(sm, Unit::Cta, m.tap_ct_o);
        if (m.tap_ws_valid_o) tap(sm, Unit::WarpSync, m.tap_ws_o);
        if (m.tap_nb_valid_o) tap(sm, Unit::Named, m.tap_nb_o);
        if (m.tap_cb_valid_o) tap(sm, Unit::Cluster, m.tap_cb_o);
    }
    if (m.tap_mb_valid_o) tap(sm, Unit::Mbarrier, m.tap_mb_o);
    if (clocked) {
        if (m.tap_ak_valid_o) tap(sm, Unit::Fence, m.tap_ak_o);
        if (m.tap_fe_valid_o) tap(sm, Unit::Fence, m.tap_fe_o);
        if (m.tap_nu_valid_o) tap(sm, Unit::Null, m.tap_nu_o);
        if (m.tap_gd_valid_o) tap(sm, Unit::Grid, m.tap_gd_o);
        if (m.exit_done_o) inputs[sm].left();
    }
    if (m.dlv_valid_o | m.clc_req_valid_o) deliver(sm);
    if (!clocked) return;
    const auto id = std::uint8_t(sm);
    if (m.rsp_valid_o)
        sink->onResponse(recordOf<SyncResponse>(load<raw::SyncRsp>(m.rsp_o), id, now));
    if (m.rel_valid_o) sink->onRelease(recordOf<Release>(load<raw::Release>(m.rel_o), id, now));
    for (std::uint32_t freed = m.cta_free_o; freed != 0; freed &= freed - 1)
        sink->onCtaFree({.sm = id, .cta = std::uint8_t(__builtin_ctz(freed)), .cycle = now});
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::reportNet()
{
    const VNet& net = *net_;
    if (net.tap_valid_o) tap(0, Unit::Network, net.tap_o);
    if (net.tap_gd_valid_o) tap(0, Unit::Network, net.tap_gd_o);
    forEach(net.grid_signalled_o, [&](unsigned grid) {
        sink->onGrid({.grid = std::uint8_t(grid), .complete = false, .cycle = now});
    });
    forEach(net.grid_complete_o, [&](unsigned grid) {
        sink->onGrid({.grid = std::uint8_t(grid), .complete = true, .cycle = now});
    });
}

}  // namespace gsu
