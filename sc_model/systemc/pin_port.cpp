#include "systemc/pin_port.hpp"

#include <Vgsu_cluster_sc.h>

#include <algorithm>

#include "systemc/pin_streams.hpp"
#include "systemc/pin_values.hpp"
#include "verilated/print.hpp"

namespace gsu {
static constexpr unsigned kTapUnits = 9;

struct PinPort::Pins {
    VerilatedContext context;  // becomes the thread's context: the model takes that one
    Vgsu_cluster_sc dut{"gsu_cluster"};
    std::array<SmStreams, kSms> sm;
    std::deque<raw::ClusCfg> routes;
    std::deque<raw::Grid> grids;
    bool gridTaken{};
    std::uint64_t seq{};

    sc_core::sc_signal<std::uint64_t> now{"now_i", kBeforeStart}, ctaFree{"cta_free_o"},
        epochWide{"epoch_wide_o"}, snoopAddr{"snoop_addr_i"}, nextEvent{"next_event_o"};
    sc_core::sc_signal<sc_dt::sc_bv<raw::Cfg::kBits>> cfg{"cfg_i"};
    sc_core::sc_signal<bool> clusValid{"clus_valid_i"}, tapNetValid{"tap_net_valid_o"},
        gridValid{"grid_valid_i"}, gridReady{"grid_ready_o"}, tapGridsValid{"tap_net_gd_valid_o"},
        idle{"idle_o"};
    sc_core::sc_signal<std::uint32_t> clus{"clus_i"}, reqValid{"req_valid_i"},
        reqReady{"req_ready_o"}, opndValid{"opnd_valid_i"}, opndReady{"opnd_ready_o"},
        opndWarpReady{"opnd_warp_ready_o"}, rspValid{"rsp_valid_o"}, relValid{"rel_valid_o"},
        dlvValid{"dlv_valid_o"}, exitDone{"exit_done_o"}, launchValid{"launch_valid_i"},
        launchReady{"launch_ready_o"}, exitValid{"exit_valid_i"}, exitReady{"exit_ready_o"},
        asyncValid{"async_valid_i"}, asyncReady{"async_ready_o"}, snoopValid{"snoop_valid_i"},
        clcReqValid{"clc_req_valid_o"}, clcRspValid{"clc_rsp_valid_i"}, wrValid{"wr_valid_i"},
        wrReady{"wr_ready_o"}, wrRoom{"wr_room_o"}, tapValid{"tap_valid_o"},
        gridSignalled{"grid_signalled_o"}, gridComplete{"grid_complete_o"};
    sc_core::sc_signal<std::uint64_t> grid{"grid_i"};
    sc_core::sc_signal<sc_dt::sc_bv<raw::Tap::kBits>> tapNet{"tap_net_o"}, tapGrids{"tap_net_gd_o"};
    sc_core::sc_signal<sc_dt::sc_bv<kSms * kMaxWarpSlots>> epochOwn{"epoch_own_o"};
    Wires<sc_dt::sc_bv<raw::SyncReq::kBits>> req{"req_i", kSms};
    Wires<sc_dt::sc_bv<raw::OpndBeat::kBits>> opnd{"opnd_i", kSms};
    Wires<sc_dt::sc_bv<raw::SyncRsp::kBits>> rsp{"rsp_o", kSms};
    Wires<sc_dt::sc_bv<raw::Release::kBits>> rel{"rel_o", kSms};
    Wires<std::uint64_t> exit{"exit_i", kSms};
    Wires<std::uint32_t> dlv{"dlv_o", kSms};
    Wires<sc_dt::sc_bv<raw::Launch::kBits>> launch{"launch_i", kSms};
    Wires<sc_dt::sc_bv<raw::Async::kBits>> async{"async_i", kSms};
    Wires<std::uint32_t> wr{"wr_i", kSms}, clcReq{"clc_req_o", kSms}, clcRsp{"clc_rsp_i", kSms};
    Wires<sc_dt::sc_bv<raw::Tap::kBits>> tapCt{"tap_ct_o", kSms}, tapWs{"tap_ws_o", kSms},
        tapNb{"tap_nb_o", kSms}, tapCb{"tap_cb_o", kSms}, tapMb{"tap_mb_o", kSms},
        tapAk{"tap_ak_o", kSms}, tapFe{"tap_fe_o", kSms}, tapNu{"tap_nu_o", kSms},
        tapGd{"tap_gd_o", kSms};

    Pins(const Config& config, sc_core::sc_signal_in_if<bool>& clk,
         sc_core::sc_signal_in_if<bool>& resetN);
    ~Pins() { dut.final(); }
    [[nodiscard]] bool busy() const
    {
        const auto waits = [](const SmStreams& s) { return s.busy(); };
        return !routes.empty() || !grids.empty() || std::any_of(sm.begin(), sm.end(), waits);
    }
    void bindScalars();
    void bindVectors();
    void mark(std::uint32_t address)
    {
        for (SmStreams& s : sm) s.mark(address);
    }
    void drive(Cycle cycle);
    void driveSnoops();
    void driveAnswers();
    void driveSm(unsigned i, std::uint32_t (&valid)[6]);
    void sample(Cycle cycle, SyncSink& sink);
    void sampleGrids(Cycle cycle, SyncSink& sink);
    void sampleTap(const raw::Tap& tap, unsigned i, Unit unit, Cycle cycle, SyncSink& sink);
};

PinPort::Pins::Pins(const Config& config, sc_core::sc_signal_in_if<bool>& clk,
                    sc_core::sc_signal_in_if<bool>& resetN)
{
    context.fatalOnError(false);
    for (SmStreams& s : sm) s.barrier.resize((1u << kAddressBits) / 8);
    dut.clk_i(clk);
    dut.rst_ni(resetN);
    bindScalars();
    dut.cfg_i(cfg);
    bindVectors();
    pins::write(cfg, config);
}

void PinPort::Pins::bindScalars()
{
    dut.now_i(now);
    dut.clus_valid_i(clusValid);
    dut.clus_i(clus);
    dut.grid_valid_i(gridValid);
    dut.grid_ready_o(gridReady);
    dut.grid_i(grid);
    dut.grid_signalled_o(gridSignalled);
    dut.grid_complete_o(gridComplete);
    dut.tap_net_gd_valid_o(tapGridsValid);
    dut.tap_net_gd_o(tapGrids);
    dut.req_valid_i(reqValid);
    dut.req_ready_o(reqReady);
    dut.opnd_valid_i(opndValid);
    dut.opnd_ready_o(opndReady);
    dut.opnd_warp_ready_o(opndWarpReady);
    dut.rsp_valid_o(rspValid);
    dut.rel_valid_o(relValid);
    dut.dlv_valid_o(dlvValid);
    dut.exit_done_o(exitDone);
    dut.launch_valid_i(launchValid);
    dut.launch_ready_o(launchReady);
    dut.exit_valid_i(exitValid);
    dut.exit_ready_o(exitReady);
    dut.cta_free_o(ctaFree);
    dut.async_valid_i(asyncValid);
    dut.async_ready_o(asyncReady);
    dut.snoop_valid_i(snoopValid);
    dut.snoop_addr_i(snoopAddr);
    dut.clc_req_valid_o(clcReqValid);
    dut.clc_rsp_valid_i(clcRspValid);
    dut.wr_valid_i(wrValid);
    dut.wr_ready_o(wrReady);
    dut.wr_room_o(wrRoom);
    dut.epoch_wide_o(epochWide);
    dut.epoch_own_o(epochOwn);
    dut.tap_valid_o(tapValid);
    dut.tap_net_valid_o(tapNetValid);
    dut.tap_net_o(tapNet);
    dut.idle_o(idle);
    dut.next_event_o(nextEvent);
}

void PinPort::Pins::bindVectors()
{
    for (unsigned i = 0; i < kSms; ++i) {
        dut.req_i[i](req[i]);
        dut.opnd_i[i](opnd[i]);
        dut.rsp_o[i](rsp[i]);
        dut.rel_o[i](rel[i]);
        dut.dlv_o[i](dlv[i]);
        dut.launch_i[i](launch[i]);
        dut.exit_i[i](exit[i]);
        dut.async_i[i](async[i]);
        dut.clc_req_o[i](clcReq[i]);
        dut.clc_rsp_i[i](clcRsp[i]);
        dut.wr_i[i](wr[i]);
        dut.tap_ct_o[i](tapCt[i]);
        dut.tap_ws_o[i](tapWs[i]);
        dut.tap_nb_o[i](tapNb[i]);
        dut.tap_cb_o[i](tapCb[i]);
        dut.tap_mb_o[i](tapMb[i]);
        dut.tap_ak_o[i](tapAk[i]);
        dut.tap_fe_o[i](tapFe[i]);
        dut.tap_nu_o[i](tapNu[i]);
        dut.tap_gd_o[i](tapGd[i]);
    }
}

void PinPort::Pins::driveSm(unsigned i, std::uint32_t (&valid)[6])
{
    SmStreams& s = sm[i];
    const bool operands = s.operands.busy();  // they go before their request
    s.operandTaken = s.operands.drive(
        i, opnd[i], valid[0],
        operands && s.operands.waiting.front().warp ? opndWarpReady.read() : opndReady.read());
    const bool told = s.driveAccesses(i, wr[i], valid[5], wrReady.read(), wrRoom.read());
    s.requestTaken = s.requests.drive(i, req[i], valid[1], reqReady.read(), !operands && told);
    s.launchTaken = s.launches.drive(i, launch[i], valid[2], launchReady.read());
    s.exitTaken = s.exits.drive(i, exit[i], valid[3], exitReady.read());
    s.updateTaken = s.updates.drive(i, async[i], valid[4], asyncReady.read());
}

void PinPort::Pins::driveSnoops()
{
    std::uint32_t valid = 0;
    std::uint64_t addresses = 0;
    for (unsigned i = 0; i < kSms; ++i) {
        std::deque<std::uint32_t>& snoops = sm[i].snoops;
        if (snoops.empty()) continue;
        valid |= 1u << i;
        addresses |= std::uint64_t{snoops.front()} << (i * kAddressBits);
        snoops.pop_front();
    }
    snoopValid.write(valid);
    snoopAddr.write(addresses);
}

void PinPort::Pins::driveAnswers()
{
    std::uint32_t valid = 0;
    for (unsigned i = 0; i < kSms; ++i) {
        std::deque<raw::ClcRsp>& answers = sm[i].answers;
        if (answers.empty()) continue;
        valid |= 1u << i;
        pins::write(clcRsp[i], answers.front());
        answers.pop_front();
    }
    clcRspValid.write(valid);
}

/// The inputs of a cycle, while the clock is low.
void PinPort::Pins::drive(Cycle cycle)
{
    now.write(cycle);
    clusValid.write(!routes.empty());
    if (!routes.empty()) {
        pins::write(clus, routes.front());
        routes.pop_front();
    }
    gridTaken = !grids.empty() && gridReady.read();
    gridValid.write(!grids.empty());
    if (!grids.empty()) pins::write(grid, grids.front());
    driveSnoops();
    driveAnswers();
    std::uint32_t valid[6] = {};
    for (unsigned i = 0; i < kSms; ++i) driveSm(i, valid);
    opndValid.write(valid[0]);
    reqValid.write(valid[1]);
    launchValid.write(valid[2]);
    exitValid.write(valid[3]);
    asyncValid.write(valid[4]);
    wrValid.write(valid[5]);
}

void PinPort::Pins::sampleTap(const raw::Tap& tap, unsigned i, Unit unit, Cycle cycle,
                              SyncSink& sink)
{
    if (tap.op == Op::EvDelivered) return;  // that one has a port of its own
    auto commit = recordOf<Commit>(tap, std::uint8_t(i), cycle);
    commit.unit = unit;
    commit.seq = seq++;
    sink.onCommit(commit);
}

/// The outputs of a cycle, after its rising edge: commits before what they caused, the network last.
void PinPort::Pins::sample(Cycle cycle, SyncSink& sink)
{
    constexpr Unit kUnits[kTapUnits] = {Unit::Cta,     Unit::WarpSync, Unit::Named,
                                        Unit::Cluster, Unit::Mbarrier, Unit::Fence,
                                        Unit::Fence,   Unit::Null,     Unit::Grid};
    const decltype(&tapCt) kTaps[kTapUnits] = {&tapCt, &tapWs, &tapNb, &tapCb, &tapMb,
                                               &tapAk, &tapFe, &tapNu, &tapGd};
    for (unsigned i = 0; i < kSms; ++i) {
        const auto id = std::uint8_t(i);
        const std::uint32_t taps = tapValid.read() >> (i * kTapUnits);
        for (unsigned u = 0; u < kTapUnits; ++u)
            if ((taps >> u & 1) != 0)
                sampleTap(pins::read<raw::Tap>((*kTaps[u])[i]), i, kUnits[u], cycle, sink);
        if ((dlvValid.read() >> i & 1) != 0) {
            const auto d = pins::read<raw::Deliver>(dlv[i]);
            auto delivered = recordOf<Delivered>(d, id, cycle);
            delivered.lanes = ~(~Lanes{1} << d.more) << d.lane;
            sink.onDelivered(delivered);
        }
        if ((clcReqValid.read() >> i & 1) != 0)
            sink.onCancel(recordOf<CancelQuery>(pins::read<raw::ClcReq>(clcReq[i]), id, cycle));
        if ((rspValid.read() >> i & 1) != 0)
            sink.onResponse(recordOf<SyncResponse>(pins::read<raw::SyncRsp>(rsp[i]), id, cycle));
        if ((relValid.read() >> i & 1) != 0)
            sink.onRelease(recordOf<Release>(pins::read<raw::Release>(rel[i]), id, cycle));
        const auto freed = std::uint32_t(ctaFree.read() >> (i * kMaxCtas));
        for (unsigned cta = 0; cta < kMaxCtas; ++cta)
            if ((freed >> cta & 1) != 0)
                sink.onCtaFree({.sm = std::uint8_t(i), .cta = std::uint8_t(cta), .cycle = cycle});
    }
    if (tapNetValid.read()) sampleTap(pins::read<raw::Tap>(tapNet), 0, Unit::Network, cycle, sink);
    sampleGrids(cycle, sink);
    for (SmStreams& s : sm) s.retire();
}

void PinPort::Pins::sampleGrids(Cycle cycle, SyncSink& sink)
{
    if (gridTaken) grids.pop_front();
    if (tapGridsValid.read())
        sampleTap(pins::read<raw::Tap>(tapGrids), 0, Unit::Network, cycle, sink);
    for (const bool complete : {false, true}) {
        const std::uint32_t some = (complete ? gridComplete : gridSignalled).read();
        for (unsigned slot = 1; slot < kMaxGrids; ++slot)
            if ((some >> slot & 1) != 0)
                sink.onGrid({.grid = std::uint8_t(slot), .complete = complete, .cycle = cycle});
    }
}

PinPort::PinPort(const sc_core::sc_module_name& name, const Config& config,
                 const sc_core::sc_time& period, sc_core::sc_signal_in_if<bool>& clk,
                 sc_core::sc_signal_in_if<bool>& resetN)
    : sc_module(name), time_(period), pins_(std::make_unique<Pins>(config, clk, resetN))
{
}

PinPort::~PinPort() = default;

void PinPort::start()
{
    now_ = 0;
    (void)takeVerilatedPrint();  // before the reset nothing has a meaning
    pins_->context.gotError(false);
}

bool PinPort::canPresent(std::uint8_t sm) const
{
    return !pins_->sm[sm].requests.busy() && !pins_->sm[sm].operands.busy();
}

void PinPort::present(const SyncRequest& request)
{
    SmStreams& s = pins_->sm[request.at.sm];
    s.requests.waiting.push_back(pins::requestPins(request));
    const std::vector<raw::OpndBeat> beats = pins::operandsOf(request);
    for (const raw::OpndBeat& beat : beats) s.operands.waiting.push_back(beat);
    for (unsigned lane = 0; lane < kLanes && !beats.empty(); ++lane)
        if ((request.lanes >> lane & 1) != 0) pins_->mark(request.addr[lane]);
}

bool PinPort::canNotify(std::uint8_t sm) const { return !pins_->sm[sm].updates.busy(); }
void PinPort::notify(const AsyncUpdate& update)
{
    pins_->sm[update.sm].updates.waiting.push_back(toRaw(update));
    pins_->mark(update.addr);
}
void PinPort::route(const ClusterRoute& route) { pins_->routes.push_back(toRaw(route)); }

void PinPort::grid(const GridStart& grid) { pins_->grids.push_back(toRaw(grid)); }

bool PinPort::launch(const Launch& launch)
{
    if (pins_->sm[launch.sm].launches.busy() || !pins_->routes.empty() ||
        (launch.grid != 0 && !pins_->grids.empty()))
        return false;  // routes and its grid go first
    pins_->sm[launch.sm].launches.waiting.push_back(toRaw(launch));
    pins_->sm[launch.sm].bases[launch.cta] = launch.base;
    pins_->sm[launch.sm].warpBases[launch.cta] = launch.wbase;
    return true;
}

void PinPort::exit(const Exit& exit) { pins_->sm[exit.at.sm].exits.waiting.push_back(toRaw(exit)); }

void PinPort::stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    SmStreams& s = pins_->sm[sm];
    const std::uint64_t end = std::uint64_t{addr} + bytes;
    for (std::uint64_t word = addr / 8; word * 8 < end && word < s.barrier.size(); ++word)
        if (s.barrier[word]) s.snoops.push_back(std::uint32_t(word * 8));
}

std::uint8_t PinPort::epoch(const WarpRef& at, Reach reach) const
{
    if (reach == Reach::Everyone)
        return std::uint8_t(pins_->epochWide.read() >> (at.sm * kMaxCtas + at.cta) & 1);
    const unsigned slot = at.sm * kMaxWarpSlots + pins_->sm[at.sm].warpBases[at.cta] + at.warp;
    return std::uint8_t(pins_->epochOwn.read().get_bit(int(slot)) ? 1 : 0);
}

bool PinPort::canAnswerCancel(std::uint8_t sm) const { return pins_->sm[sm].answers.empty(); }
void PinPort::answerCancel(const CancelAnswer& answer)
{
    pins_->sm[answer.sm].answers.push_back({.slot = answer.slot});
}

void PinPort::announce(const Accesses& accesses)
{
    pins_->sm[accesses.at.sm].accesses.announce(toRaw(accesses));
}

void PinPort::performed(const Accesses& accesses)
{
    raw::Wr w = toRaw(accesses);
    w.performed = true;
    pins_->sm[accesses.at.sm].accesses.perform(w);
}

Cycle PinPort::quietUntil() const
{
    constexpr Cycle kNoDeadline = (Cycle{1} << kTimeW) - 1;
    if (!pins_->idle.read() || pins_->busy()) return now_;
    const Cycle next = pins_->nextEvent.read();
    return next == kNoDeadline ? kNever : std::max(next, now_);
}

void PinPort::skipTo(Cycle cycle)
{
    while (now_ < cycle) step();
}

void PinPort::step()
{
    pins_->drive(now_);
    wait(time_.period());
    pins_->sample(now_, *sink_);
    if ((pins_->context.gotError() || pins_->context.gotFinish()) && !fault_) {
        fault_ = Fault{Fault::Kind::Assertion, now_, "RTL assertion: " + takeVerilatedPrint()};
        SC_REPORT_ERROR("/gsu/assertion", fault_->message.c_str());
    }
    ++now_;
}

}  // namespace gsu
