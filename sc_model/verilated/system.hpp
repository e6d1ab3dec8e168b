/// The models behind RtlPort for one pair of Verilated classes. Included by system_plain.cpp and system_traced.cpp only.
#pragma once
#include <verilated.h>

#include <algorithm>

#include "verilated/print.hpp"
#include "verilated/system_base.hpp"

namespace gsu {

/// Port values as the words that pack/unpack work on, whatever type Verilator chose for the width.
template <std::size_t N> void store(VlWide<N>& port, const auto& value) noexcept { pack(value, port.data()); }
inline void store(QData& port, const auto& value) noexcept
{
    std::uint32_t words[2];
    pack(value, words);
    port = std::uint64_t{words[1]} << 32 | words[0];
}
inline void store(IData& port, const auto& value) noexcept { pack(value, &port); }
inline void store(SData& port, const auto& value) noexcept
{
    std::uint32_t word = 0;
    pack(value, &word);
    port = SData(word);
}
template <typename T, std::size_t N> [[nodiscard]] T load(const VlWide<N>& port) noexcept
{
    T value;
    unpack(value, port.data());
    return value;
}
template <typename T> [[nodiscard]] T load(QData port) noexcept
{
    const std::uint32_t words[2] = {std::uint32_t(port), std::uint32_t(port >> 32)};
    T value;
    unpack(value, words);
    return value;
}

template <typename VSm, typename VNet> class ModelSystem : public RtlPort::System {
public:
    ModelSystem(unsigned sms, const Config& config);
    ~ModelSystem() override;
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override;

protected:
    /// Hooks of the traced variant, around the two clock edges.
    virtual void afterRise() {}
    virtual void afterFall() {}

    struct Slot {
        std::unique_ptr<VSm> model;
        bool active{};
        bool requestTaken{}, beatTaken{}, exitTaken{}, launchTaken{}, asyncTaken{};
    };

    void reset();
    /// Low phase: inputs of the cycle settle before the edge, so that checks sample what the flops see.
    void settle(auto& model)
    {
        model.now_i = now;
        model.clk_i = 0;
        model.eval();
    }
    void rise(auto& model)
    {
        model.clk_i = 1;
        model.eval();
    }
    void connectNet();
    [[nodiscard]] bool netNeedsEval() const noexcept;
    [[nodiscard]] bool smNeedsEval(unsigned sm) const noexcept;
    void driveInputs(unsigned sm);
    void retireInputs(unsigned sm);
    void serveMemory(unsigned sm);
    void report(unsigned sm);
    void tap(unsigned sm, Unit unit, const auto& port);
    void checkAssertions();

    VerilatedContext context_;
    Config config_;
    std::vector<Slot> slots_;
    std::unique_ptr<VNet> net_;
    bool netUsed_{};
    bool netInput_{};
    bool netActive_{};
};

template <typename VSm, typename VNet>
ModelSystem<VSm, VNet>::ModelSystem(unsigned sms, const Config& config) : config_(config)
{
    context_.fatalOnError(false);
    context_.traceEverOn(true);
    inputs.resize(sms);
    slots_.resize(sms);
    for (unsigned i = 0; i < sms; ++i) {
        slots_[i].model = std::make_unique<VSm>(&context_, ("sm" + std::to_string(i)).c_str());
        inputs[i].used.resize((256u << 10) >> 3);
    }
    net_ = std::make_unique<VNet>(&context_, "net");
    reset();
}

template <typename VSm, typename VNet> ModelSystem<VSm, VNet>::~ModelSystem()
{
    for (Slot& slot : slots_) slot.model->final();
    net_->final();
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::reset()
{
    const auto pulse = [](auto& model) {
        for (int edge = 0; edge < 4; ++edge) {
            model.clk_i = edge & 1;
            model.eval();
        }
        model.clk_i = 0;
        model.rst_ni = 1;
        model.eval();
        model.clk_i = 1;
        model.eval();
    };
    for (Slot& slot : slots_) {
        store(slot.model->cfg_i, config_);
        slot.model->rst_ni = 0;
        pulse(*slot.model);
    }
    store(net_->cfg_i, config_);
    net_->rst_ni = 0;
    net_->rx_ready_i = 0;
    pulse(*net_);
    (void)takeVerilatedPrint();
    context_.gotError(false);
}

/// The wires between SMs and network: what both drove after the previous cycle is what both see in this one.
template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::connectNet()
{
    VNet& net = *net_;
    netInput_ = false;
    std::uint32_t tx = 0, up = 0, rxReady = 0, dnReady = 0;
    for (unsigned i = 0; i < slots_.size(); ++i) {
        VSm& sm = *slots_[i].model;
        if (sm.tx_valid_o) {
            tx |= 1u << i;
            net.tx_i[i] = sm.tx_o;
        }
        if (sm.cb_up_valid_o) {
            up |= 1u << i;
            net.cb_up_i[i] = sm.cb_up_o;
        }
        rxReady |= std::uint32_t(sm.rx_ready_o) << i;
        dnReady |= std::uint32_t(sm.cb_dn_ready_o) << i;
        sm.tx_ready_i = net.tx_ready_o >> i & 1;
        sm.cb_up_ready_i = net.cb_up_ready_o >> i & 1;
        sm.rx_valid_i = net.rx_valid_o >> i & 1;
        if (sm.rx_valid_i) sm.rx_i = net.rx_o[i];
        sm.cb_dn_valid_i = net.cb_dn_valid_o >> i & 1;
        if (sm.cb_dn_valid_i) sm.cb_dn_i = net.cb_dn_o;
    }
    net.tx_valid_i = SData(tx);
    net.cb_up_valid_i = SData(up);
    net.rx_ready_i = SData(rxReady);
    net.cb_dn_ready_i = SData(dnReady);
    netInput_ = tx != 0 || up != 0 || !routes.empty();
    net.clus_valid_i = !routes.empty();
    if (!routes.empty()) store(net.clus_i, routes.front());
    netUsed_ = netUsed_ || netInput_;
}

template <typename VSm, typename VNet> bool ModelSystem<VSm, VNet>::netNeedsEval() const noexcept
{
    if (!skipping) return true;
    return netInput_ || (netUsed_ && (!net_->idle_o || now >= net_->next_event_o));
}

template <typename VSm, typename VNet> bool ModelSystem<VSm, VNet>::smNeedsEval(unsigned sm) const noexcept
{
    if (!skipping) return true;
    const VSm& model = *slots_[sm].model;
    return !model.idle_o || now >= model.next_event_o || inputs[sm].any(now) || model.rx_valid_i || model.cb_dn_valid_i;
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::driveInputs(unsigned sm)
{
    Slot& slot = slots_[sm];
    VSm& model = *slot.model;
    SmInputs& in = inputs[sm];
    // Operands go first; the request is offered in the cycle after the last beat was taken.
    const bool beat = !in.beats.empty();
    model.opnd_valid_i = beat;
    if (beat) store(model.opnd_i, in.beats.front());
    slot.beatTaken = beat && model.opnd_ready_o;
    const bool request = in.requestValid && !beat;
    model.req_valid_i = request;
    if (request) store(model.req_i, in.request);
    slot.requestTaken = request && model.req_ready_o;
    model.exit_valid_i = !in.exits.empty();
    if (!in.exits.empty()) store(model.exit_i, in.exits.front());
    slot.exitTaken = !in.exits.empty() && model.exit_ready_o;
    model.launch_valid_i = in.launchValid;
    if (in.launchValid) store(model.launch_i, in.launch);
    slot.launchTaken = in.launchValid && model.launch_ready_o;
    model.async_valid_i = in.asyncValid;
    if (in.asyncValid) store(model.async_i, in.async);
    slot.asyncTaken = in.asyncValid && model.async_ready_o;
    model.snoop_valid_i = !in.snoops.empty();
    if (!in.snoops.empty()) {
        model.snoop_addr_i = in.snoops.front();
        in.snoops.pop_front();
    }
    model.mem_rsp_valid_i = !in.reads.empty() && in.reads.front().due <= now;
    if (model.mem_rsp_valid_i) {
        model.mem_rdata_i = in.reads.front().data;
        in.reads.pop_front();
    }
    model.wr_valid_i = 0;
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::retireInputs(unsigned sm)
{
    Slot& slot = slots_[sm];
    SmInputs& in = inputs[sm];
    if (slot.beatTaken) in.beats.pop_front();
    if (slot.requestTaken) in.requestValid = false;
    if (slot.exitTaken) in.exits.pop_front();
    if (slot.launchTaken) in.launchValid = false;
    if (slot.asyncTaken) in.asyncValid = false;
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::serveMemory(unsigned sm)
{
    VSm& model = *slots_[sm].model;
    if (!model.mem_req_valid_o) return;
    const auto access = load<raw::MemReq>(model.mem_req_o);
    SmInputs& in = inputs[sm];
    if (std::size_t(access.addr >> 3) < in.used.size()) in.used[access.addr >> 3] = true;
    const auto id = std::uint8_t(sm);
    if (!access.we) {
        in.reads.push_back({now + config_.smem_lat, memory ? memory->readWord(id, access.addr) : 0});
    } else if (memory) {
        std::uint64_t keep = 0;
        for (unsigned b = 0; b < 8; ++b)
            if (!(access.be >> b & 1)) keep |= std::uint64_t{0xff} << (8 * b);
        const std::uint64_t old = keep != 0 ? memory->readWord(id, access.addr) & keep : 0;
        memory->writeWord(id, access.addr, old | (access.wdata & ~keep));
    }
}

template <typename VSm, typename VNet>
void ModelSystem<VSm, VNet>::tap(unsigned sm, Unit unit, const auto& port)
{
    const auto t = load<raw::Tap>(port);
    const auto id = std::uint8_t(sm);
    if (t.op == Op::EvDelivered) {
        sink->onDelivered({.sm = id, .cta = t.cta, .tag = std::uint16_t(t.new_w), .cycle = now});
        return;
    }
    sink->onCommit({.seq = seq++,
                    .cycle = now,
                    .unit = unit,
                    .op = t.op,
                    .at = {id, t.cta, t.warp},
                    .lanes = t.lanes,
                    .tag = t.tag,
                    .object = t.obj,
                    .oldWord = t.old_w,
                    .newWord = t.new_w,
                    .flip = t.flip,
                    .refused = t.refused,
                    .errs = t.errs,
                    .cause = t.cause,
                    .src = t.src});
}

/// Commits first, then what they caused (D-02): a response never precedes its commit.
template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::report(unsigned sm)
{
    VSm& m = *slots_[sm].model;
    if (m.tap_ct_valid_o) tap(sm, Unit::Cta, m.tap_ct_o);
    if (m.tap_ws_valid_o) tap(sm, Unit::WarpSync, m.tap_ws_o);
    if (m.tap_nb_valid_o) tap(sm, Unit::Named, m.tap_nb_o);
    if (m.tap_cb_valid_o) tap(sm, Unit::Cluster, m.tap_cb_o);
    if (m.tap_mb_valid_o) tap(sm, Unit::Mbarrier, m.tap_mb_o);
    if (m.tap_fe_valid_o) tap(sm, Unit::Fence, m.tap_fe_o);
    if (m.tap_nu_valid_o) tap(sm, Unit::Null, m.tap_nu_o);
    const auto id = std::uint8_t(sm);
    if (m.rsp_valid_o) {
        const auto r = load<raw::SyncRsp>(m.rsp_o);
        sink->onResponse({.tag = r.tag,
                          .at = {id, r.cta, r.warp},
                          .lanes = r.lanes,
                          .pred = r.pred,
                          .last = r.last,
                          .cause = r.cause,
                          .cycle = now,
                          .value = r.value,
                          .stride = r.stride});
    }
    if (m.rel_valid_o) {
        const auto r = load<raw::Release>(m.rel_o);
        sink->onRelease({.sm = id,
                         .cta = r.cta,
                         .warps = r.warps,
                         .cluster = r.cluster,
                         .id = r.id,
                         .popc = r.popc,
                         .all = r.all,
                         .any = r.any,
                         .cycle = now});
    }
    for (std::uint32_t freed = m.cta_free_o; freed != 0; freed &= freed - 1)
        sink->onCtaFree({.sm = id, .cta = std::uint8_t(__builtin_ctz(freed)), .cycle = now});
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::checkAssertions()
{
    if (!context_.gotError() && !context_.gotFinish()) return;
    if (!fault) fault = Fault{Fault::Kind::Assertion, now, "RTL assertion: " + takeVerilatedPrint()};
    context_.gotError(false);
    context_.gotFinish(false);
}

template <typename VSm, typename VNet> void ModelSystem<VSm, VNet>::step()
{
    connectNet();
    netActive_ = netNeedsEval();
    for (unsigned i = 0; i < slots_.size(); ++i) {
        Slot& slot = slots_[i];
        slot.active = smNeedsEval(i);
        if (!slot.active) continue;
        ++evaluations;
        driveInputs(i);
        settle(*slot.model);
    }
    if (netActive_) {
        ++evaluations;
        settle(*net_);
        if (!routes.empty()) routes.pop_front();
    }
    afterFall();
    for (Slot& slot : slots_)
        if (slot.active) rise(*slot.model);
    if (netActive_) rise(*net_);
    afterRise();
    for (unsigned i = 0; i < slots_.size(); ++i) {
        if (!slots_[i].active) continue;
        retireInputs(i);
        serveMemory(i);
        report(i);
    }
    if (netActive_ && net_->tap_valid_o) tap(0, Unit::Network, net_->tap_o);
    checkAssertions();
    ++now;
}

template <typename VSm, typename VNet> Cycle ModelSystem<VSm, VNet>::quietUntil() const
{
    if (!skipping || !routes.empty()) return now;
    Cycle until = kNever;
    constexpr Cycle kNoEvent = (Cycle{1} << kTimeW) - 1;  // all ones on the port
    const auto consider = [&](bool idle, Cycle next) {
        if (!idle) until = now;
        else if (next != kNoEvent) until = std::min(until, std::max(next, now));
    };
    for (unsigned i = 0; i < slots_.size() && until > now; ++i) {
        const VSm& m = *slots_[i].model;
        consider(m.idle_o && !m.tx_valid_o && !m.cb_up_valid_o && !inputs[i].any(now), m.next_event_o);
        if (!inputs[i].reads.empty()) until = std::min(until, inputs[i].reads.front().due);
    }
    if (netUsed_)
        consider(net_->idle_o && net_->rx_valid_o == 0 && net_->cb_dn_valid_o == 0, net_->next_event_o);
    return until;
}

}  // namespace gsu
