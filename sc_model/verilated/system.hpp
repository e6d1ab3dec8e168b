/// The models behind RtlPort for one pair of Verilated classes. Included by system_plain.cpp and system_traced.cpp only.
#pragma once
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "verilated/clock_edge.hpp"
#include "verilated/context.hpp"
#include "verilated/port_words.hpp"
#include "verilated/print.hpp"
#include "verilated/system_base.hpp"

namespace gsu {

/// `Checked`: the models look at their inputs before the edge (assertions, waves of the low phase).
template <typename VSm, typename VNet, bool Checked> class ModelSystem : public RtlPort::System {
public:
    ModelSystem(unsigned sms, const Config& config, unsigned first);
    ~ModelSystem() override;
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override;
    [[nodiscard]] bool epoch(unsigned sm, unsigned slot, Reach reach) const override
    {
        if (round_) waitFor(sm);
        const VSm& model = *slots_[sm].model;
        const std::uint64_t epochs =
            reach == Reach::Everyone ? model.epoch_wide_o : model.epoch_own_o;
        return (epochs >> slot & 1) != 0;
    }

protected:
    /// Hook of the traced variant: the outputs of the cycle are stable.
    virtual void afterRise() {}

    struct Slot {
        std::unique_ptr<VSm> model;
        Cycle wake{};             ///< deadline of the SM, kNever if none
        Cycle next{};             ///< cycle after the last one that it saw
        std::uint64_t netSeen{};  ///< clocks of the network up to the one whose outputs the SM saw
        bool driven{};            ///< its inputs may be active
        bool requestTaken{}, beatTaken{}, exitTaken{}, launchTaken{}, asyncTaken{}, accessTaken{};
    };
    static constexpr Cycle kNoEvent = (Cycle{1} << kTimeW) - 1;  // all ones on the port
    /// The SM needs no other clock after skipped clocks.
    static constexpr bool kCatchesUp = requires { VSm::kCatchesUp; };

    void reset();
    /// One clock. Assertions sample the inputs of the flops: inputs settle in the low phase before the edge.
    static void clock(auto& model)
    {
        if constexpr (Checked) {
            model.clk_i = 0;
            model.eval();
            model.clk_i = 1;
            model.eval();
        } else {
            clockEdge(model);
        }
    }
    void cycle(auto& model, Cycle at)
    {
        if constexpr (requires { model.cycle(at, skipping); }) {
            model.cycle(at, skipping);
        } else {
            model.now_i = at;
            clock(model);
        }
    }
    /// Whether an input is shown that is there, and that the SM takes in this cycle or not. A full buffer does not look at it, and to read inputs is an
    /// evaluation; waves and assertions are shown what the driver does.
    static bool offered(bool there, bool taken) noexcept { return kCatchesUp ? taken : there; }
    static constexpr unsigned kShared = 3;  ///< fewer SMs at work are not worth a second thread
    /// For two threads: a part has this share of the SMs that are left, so that both threads end together. What a part reports is told while
    /// the next ones are evaluated.
    static constexpr unsigned kShare = 3;
    /// One part of a cycle: the network, if it has work, or some SMs.
    static void part(void* self, unsigned index)
    {
        auto& system = *static_cast<ModelSystem*>(self);
        const std::uint32_t sms = system.parts_[index];
        sms == 0 ? system.cycle(*system.net_, system.now) : system.cycleEach(sms);
    }
    /// The cycle of several SMs. One model of all before the next: its code stays in the instruction cache of the host.
    void cycleEach(std::uint32_t sms)
    {
        if constexpr (requires(VSm & sm) { sm.exchange(now, skipping); }) {
            forEach(sms, [&](unsigned i) { slots_[i].model->exchange(now, skipping); });
            forEach(sms, [&](unsigned i) { slots_[i].model->clockCore(); });
            forEach(sms, [&](unsigned i) { slots_[i].model->clockUnit(); });
        } else {
            forEach(sms, [&](unsigned i) { cycle(*slots_[i].model, now); });
        }
    }
    static void forEach(std::uint32_t sms, auto&& visit)
    {
        for (; sms != 0; sms &= sms - 1) visit(unsigned(__builtin_ctz(sms)));
    }
    /// Name of an SM, in waves and assertions.
    [[nodiscard]] std::string nameOf(unsigned sm) const
    {
        return "sm" + std::to_string(first_ + sm);
    }
    /// Evaluates the cycle, and calls finish() for each SM.
    void evaluate(std::uint32_t active, bool netActive);
    void evaluateShared(std::uint32_t active, bool netActive);
    void netAhead();
    /// Returns when the SM has been evaluated in this cycle.
    void waitFor(unsigned sm) const;
    /// What follows from the SM's outputs.
    void finish(unsigned sm)
    {
        retireInputs(sm);
        serveMemory(sm);
        noteState(sm);
        report(sm);
    }
    [[nodiscard]] std::uint32_t smsToEval();
    /// SMs that the network has something for after the preceding cycle.
    [[nodiscard]] std::uint32_t smsOfNet() const
    {
        if (round_) return wanted_;
        return net_->gd_dn_valid_o ? ~0u
                                   : net_->rx_valid_o | net_->ack_valid_o | net_->cb_dn_valid_o;
    }
    [[nodiscard]] bool driveNet();
    void driveFromNet(unsigned sm);
    void catchUp(unsigned sm);
    void noteState(unsigned sm);
    void noteDeadlines();
    void driveInputs(unsigned sm);
    void retireInputs(unsigned sm);
    void serveMemory(unsigned sm);
    void report(unsigned sm);
    void reportNet();
    void deliver(unsigned sm);
    void tap(unsigned sm, Unit unit, const auto& port);
    void checkAssertions();

    /// held while members are built and destroyed
    std::unique_lock<std::mutex> building_{contextMutex()};
    VerilatedContext context_;
    Config config_;
    unsigned first_;
    std::vector<Slot> slots_;
    std::string printed_;  ///< output of the assertions of these models
    /// Parts of a cycle that two threads share: bit per SM, 0: the network.
    std::array<std::uint32_t, kMaxSms + 1> parts_{};
    unsigned count_{};
    std::uint32_t wanted_{};  ///< smsOfNet() while the network is ahead
    std::unique_ptr<VNet> net_;
    bool gridTaken_{};
    bool netUsed_{};           ///< a route was given; before that the network has no work
    std::uint32_t awake_{};    ///< bit per SM that is not idle
    std::uint32_t talking_{};  ///< bit per SM that drives a message to the network
    std::uint32_t rxReady_{}, dnReady_{};
    std::uint64_t netClocks_{1};
    Cycle earliest_{};  ///< minimum of the SMs' deadlines
    bool laterOnly_{};  ///< the SM that had the earliest deadline has another now
    /// The cycle that two threads share now. Its end waits for the helper, so it comes before the end of the models.
    mutable std::optional<StepPool::Round> round_;
};

template <typename VSm, typename VNet, bool Checked>
ModelSystem<VSm, VNet, Checked>::ModelSystem(unsigned sms, const Config& config, unsigned first)
    : config_(config), first_(first)
{
    context_.threads(1);  // otherwise it starts threads that no model of ours uses
    context_.fatalOnError(false);
    context_.traceEverOn(true);
    const char* argument =
        everyUnitClocked() ? "+gsu_every_clock=1" : "gsu";  // asked for by the gates
    context_.commandArgs(1, &argument);
    inputs.resize(sms);
    slots_.resize(sms);
    for (unsigned i = 0; i < sms; ++i) {
        slots_[i].model = std::make_unique<VSm>(&context_, nameOf(i).c_str());
        inputs[i].used.resize((256u << 10) >> 3);
    }
    net_ = std::make_unique<VNet>(&context_, "net");
    building_.unlock();
    reset();
}

template <typename VSm, typename VNet, bool Checked> ModelSystem<VSm, VNet, Checked>::~ModelSystem()
{
    // The run-time library works on the thread's context, which may belong to another port that is gone already.
    enterContext(context_);
    round_.reset();
    building_.lock();
    for (Slot& slot : slots_) slot.model->final();
    net_->final();
}

template <typename VSm, typename VNet, bool Checked> void ModelSystem<VSm, VNet, Checked>::reset()
{
    const VerilatedPrintScope scope(printed_);
    enterContext(context_);
    const auto pulse = [](auto& model) {
        model.now_i = kNoEvent;  // cycle before 0
        for (int clocks = 0; clocks < 3; ++clocks) {
            model.rst_ni = clocks == 2;
            if constexpr (requires { model.resetClock(); })
                model.resetClock();
            else
                clock(model);
        }
    };
    for (Slot& slot : slots_) {
        store(slot.model->cfg_i, config_);
        pulse(*slot.model);
    }
    store(net_->cfg_i, config_);
    pulse(*net_);
    for (unsigned i = 0; i < slots_.size(); ++i) {
        noteState(i);
        net_->cb_alive_i[i] = slots_[i].model->cb_alive_o;
    }
    noteDeadlines();
    printed_.clear();
    context_.gotError(false);
}

/// SMs that must see this cycle: they have work of their own, an input, a message from the network, or a deadline.
template <typename VSm, typename VNet, bool Checked>
std::uint32_t ModelSystem<VSm, VNet, Checked>::smsToEval()
{
    const std::uint32_t all = (1u << slots_.size()) - 1;
    if (!skipping) return all;
    std::uint32_t mask = awake_ | inputMask;
    if (netUsed_) mask |= smsOfNet();
    if (now >= earliest_)
        for (unsigned i = 0; i < slots_.size(); ++i)
            if (now >= slots_[i].wake) mask |= 1u << i;
    return mask & all;
}

/// Drives the outputs of the SMs after the preceding cycle to the network. False: the network has nothing to see in this cycle.
template <typename VSm, typename VNet, bool Checked>
bool ModelSystem<VSm, VNet, Checked>::driveNet()
{
    const bool asked = !routes.empty() || !grids.empty();
    if (!netUsed_ && !asked && skipping) return false;
    VNet& net = *net_;
    std::uint32_t tx = 0, acks = 0, up = 0, gridUp = 0;
    for (std::uint32_t rest = talking_; rest != 0; rest &= rest - 1) {
        const auto i = unsigned(__builtin_ctz(rest));
        VSm& sm = *slots_[i].model;
        if (sm.tx_valid_o) {
            tx |= 1u << i;
            net.tx_i[i] = sm.tx_o;
        }
        if (sm.ack_valid_o) {
            acks |= 1u << i;
            net.ack_i[i] = sm.ack_o;
        }
        if (sm.cb_up_valid_o) {
            up |= 1u << i;
            net.cb_up_i[i] = sm.cb_up_o;
        }
        if (sm.gd_up_valid_o) {
            gridUp |= 1u << i;
            net.gd_up_i[i] = sm.gd_up_o;
        }
    }
    storeBits(net.tx_valid_i, tx);
    storeBits(net.ack_valid_i, acks);
    storeBits(net.cb_up_valid_i, up);
    storeBits(net.gd_up_valid_i, gridUp);
    storeBits(net.rx_ready_i, rxReady_);
    storeBits(net.cb_dn_ready_i, dnReady_);
    net.clus_valid_i = !routes.empty();
    if (!routes.empty()) store(net.clus_i, routes.front());
    net.grid_valid_i = !grids.empty();
    if (!grids.empty()) store(net.grid_i, grids.front());
    gridTaken_ = !grids.empty() && net.grid_ready_o;
    const bool input = (tx | acks | up | gridUp) != 0 || asked;
    netUsed_ = netUsed_ || input;
    return !skipping || input || !net.idle_o || now >= net.next_event_o;
}

/// Gives the SM the last of the skipped clocks: that updates its copy of the time and changes nothing else.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::catchUp(unsigned i)
{
    VSm& sm = *slots_[i].model;
    slots_[i].netSeen = 0;
    sm.req_valid_i = sm.opnd_valid_i = sm.exit_valid_i = sm.launch_valid_i = sm.async_valid_i = 0;
    sm.clc_rsp_valid_i = 0;
    sm.snoop_valid_i = sm.mem_rsp_valid_i = sm.wr_valid_i = sm.rx_valid_i = sm.ack_valid_i =
        sm.cb_dn_valid_i = sm.gd_dn_valid_i = 0;
    ++evaluations;
    cycle(sm, now - 1);
}

template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::checkAssertions()
{
    if (!context_.gotError() && !context_.gotFinish()) return;
    if (!fault) fault = Fault{Fault::Kind::Assertion, now, "RTL assertion: " + printed_};
    printed_.clear();
    context_.gotError(false);
    context_.gotFinish(false);
}

/// From here the models are independent of each other: every input of the cycle is given. `netActive`: the network is still to be evaluated.
template <typename VSm, typename VNet, bool Checked>
void ModelSystem<VSm, VNet, Checked>::evaluate(std::uint32_t active, bool netActive)
{
    const auto busy = unsigned(std::popcount(active));
    if (!Checked && pool && busy >= kShared && pool->worthwhile(busy))
        return evaluateShared(active, netActive);
    round_.reset();
    cycleEach(active);
    if (netActive) cycle(*net_, now);
    afterRise();
    forEach(active, [&](unsigned i) { finish(i); });
}

template <typename VSm, typename VNet, bool Checked> void ModelSystem<VSm, VNet, Checked>::step()
{
    // Reports of models go to the context and the text of the evaluating thread: those of this port, whoever steps it. Models without
    // checks report nothing.
    std::optional<VerilatedPrintScope> scope;
    if constexpr (Checked) {
        scope.emplace(printed_);
        enterContext(context_);
    }
    const std::uint32_t active = smsToEval();
    const bool ahead = round_.has_value(), netActive = ahead || driveNet();
    forEach(active, [&](unsigned i) {
        if (!kCatchesUp && slots_[i].next != now) catchUp(i);
        slots_[i].next = now + 1;
        ++evaluations;
        driveInputs(i);
        driveFromNet(i);
    });
    if (netActive) {
        ++evaluations;
        ++netClocks_;
        if (!routes.empty()) routes.pop_front();
        if (gridTaken_) grids.pop_front();
    }
    evaluate(active, netActive && !ahead);
    if (netActive) reportNet();
    forEach(active, [&](unsigned i) { net_->cb_alive_i[i] = slots_[i].model->cb_alive_o; });
    if (active != 0) noteDeadlines();
    checkAssertions();
    ++now;
    if (!Checked && pool && unsigned(std::popcount(active)) >= kShared) netAhead();
}

template <typename VSm, typename VNet, bool Checked>
Cycle ModelSystem<VSm, VNet, Checked>::quietUntil() const
{
    if (round_ || !skipping || !routes.empty() || !grids.empty() || awake_ != 0 || inputMask != 0 ||
        talking_ != 0)
        return now;
    Cycle until = std::max(earliest_, now);
    if (!netUsed_) return until;
    if (!net_->idle_o || net_->rx_valid_o != 0 || net_->ack_valid_o != 0 ||
        net_->cb_dn_valid_o != 0 || net_->gd_dn_valid_o != 0)
        return now;
    if (net_->next_event_o != kNoEvent)
        until = std::min(until, std::max<Cycle>(net_->next_event_o, now));
    return until;
}

}  // namespace gsu

#include "verilated/system_inputs.hpp"
#include "verilated/system_outputs.hpp"
#include "verilated/system_shared.hpp"
