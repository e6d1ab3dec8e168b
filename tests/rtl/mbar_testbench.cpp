#include "rtl/mbar_testbench.hpp"

#include <Vgsu_mbar_unit.h>
#include <verilated.h>

#include <algorithm>

#include "verilated/print.hpp"

namespace mbar {

namespace {
constexpr std::uint64_t kNoEvent = (std::uint64_t{1} << 48) - 1;

template <typename T, typename Port> T load(const Port& port)
{
    T value;
    if constexpr (requires { port.data(); })
        unpack(value, port.data());
    else
        unpack(value, &port);
    return value;
}
}  // namespace

Instruction instruction(Op op, Lanes lanes, std::uint32_t addr, Word data)
{
    Instruction made;
    made.req.op = op;
    made.req.lanes = lanes;
    made.addr.fill(addr);
    made.data.fill(data);
    return made;
}

raw::Cfg Testbench::config0()
{
    raw::Cfg config;
    config.mbar_interval = 1;
    config.mbar_lat = 4;
    config.trywait_lat = 6;
    config.trywait_limit = 500;
    config.trywait_slots = 32;
    config.smem_lat = 3;
    config.mbar_remote_lat = 2;
    config.bar_interval = 1;
    return config;
}

Testbench::Testbench(raw::Cfg config)
    : config_(config), context_(std::make_unique<VerilatedContext>()), memory_(32'768)
{
    context_->assertOn(true);
    context_->fatalOnError(false);
    context_->randReset(0);
    dut_ = std::make_unique<Vgsu_mbar_unit>(context_.get());
    pack(config_, dut_->cfg_i.data());
    dut_->rst_ni = 0;
    for (int i = 0; i < 2; ++i) {
        dut_->clk_i = 0;
        dut_->eval();
        dut_->clk_i = 1;
        dut_->eval();
    }
    dut_->clk_i = 0;
    dut_->rst_ni = 1;
    dut_->eval();
}

Testbench::~Testbench()
{
    Verilated::threadContextp(context_.get());  // scopes leave the current context, not their own
    dut_->final();
    dut_.reset();
}

void Testbench::launch(unsigned cta, std::uint32_t base, std::uint32_t size, unsigned rank,
                       unsigned ctas, unsigned clus)
{
    raw::Launch launch;
    launch.cta = std::uint8_t(cta);
    launch.base = base;
    launch.size = size;
    launch.rank = std::uint8_t(rank);
    launch.ctas = std::uint8_t(ctas);
    launch.clus = std::uint8_t(clus);
    launch.threads = 1024;
    launches_.push_back(launch);
    run(1);
}

void Testbench::end(unsigned cta)
{
    ends_.push_back(cta);
    run(1);
}

std::uint16_t Testbench::give(Instruction instruction)
{
    const raw::SyncReq& req = instruction.req;
    const bool tries = req.op == Op::MbarTryWait || req.op == Op::MbarTryWaitParity;
    for (unsigned half = 0; half < (tries ? 2u : 1u); ++half) {
        for (unsigned quad = 0; quad < 8; ++quad) {
            const auto mask = std::uint8_t(req.lanes >> 4 * quad & 0xf);
            if (mask == 0) continue;
            raw::OpndBeat beat;
            beat.quad = std::uint8_t(quad);
            beat.mask = mask;
            beat.half = half != 0;
            for (unsigned k = 0; k < 4; ++k) {
                beat.lane[k].addr = instruction.addr[4 * quad + k];
                beat.lane[k].data =
                    half != 0 ? instruction.limit[4 * quad + k] : instruction.data[4 * quad + k];
            }
            beats_.push_back(beat);
            ++beatsQueued_;
        }
    }
    beats_.back().last = true;
    instruction.req.tag = nextTag_;
    nextTag_ = nextTag_ == 4095 ? 1 : std::uint16_t(nextTag_ + 1);
    requests_.push_back({instruction.req, beatsQueued_});
    return instruction.req.tag;
}

void Testbench::give(const raw::Pkt& pkt) { rx_.push_back({0, pkt}); }

void Testbench::store(std::uint32_t addr, Word value)
{
    setWord(addr, value);
    snoop(addr);
}

bool Testbench::refuse(unsigned oneIn)
{
    if (oneIn == 0) return false;
    random_ = random_ * 1'664'525 + 1'013'904'223;
    return (random_ >> 16) % oneIn == 0;
}

bool Testbench::inputs() const
{
    return !beats_.empty() || !requests_.empty() || !asyncs_.empty() || !rx_.empty() ||
           !backs_.empty() || !snoops_.empty() || !launches_.empty() || !ends_.empty() ||
           (!reads_.empty() && reads_.front().due <= now);
}

void Testbench::drive()
{
    dut_->now_i = now;
    dut_->open_i = open;
    dut_->left_i = left;
    dut_->ending_i = ~0u;
    dut_->launch_valid_i = !launches_.empty();
    if (!launches_.empty()) pack(launches_.front(), dut_->launch_i.data());
    dut_->cta_end_valid_i = !ends_.empty();
    if (!ends_.empty()) dut_->cta_end_cta_i = std::uint8_t(ends_.front());
    dut_->opnd_valid_i = !beats_.empty();
    if (!beats_.empty()) pack(beats_.front(), dut_->opnd_i.data());
    dut_->req_valid_i = !requests_.empty() && requests_.front().beats <= beatsTaken_;
    if (!requests_.empty()) pack(requests_.front().req, dut_->req_i.data());
    dut_->async_valid_i = !asyncs_.empty();
    if (!asyncs_.empty()) pack(asyncs_.front(), dut_->async_i.data());
    dut_->rx_valid_i = !rx_.empty();
    if (!rx_.empty()) pack(rx_.front().pkt, dut_->rx_i.data());
    dut_->back_valid_i = !backs_.empty();
    if (!backs_.empty()) {
        std::uint32_t word = 0;
        pack(backs_.front(), &word);
        dut_->back_i = word;
    }
    dut_->snoop_valid_i = !snoops_.empty();
    if (!snoops_.empty()) dut_->snoop_addr_i = snoops_.front();
    dut_->mem_rsp_valid_i = !reads_.empty() && reads_.front().due <= now;
    if (dut_->mem_rsp_valid_i) dut_->mem_rdata_i = reads_.front().data;
    dut_->tx_ready_i = !refuse(txStall);
    dut_->ack_ready_i = !refuse(txStall);
    dut_->fail_ready_i = !refuse(txStall);
    dut_->rsp_ready_i = !refuse(rspStall);
}

/// Handshakes and pulses of this cycle, before the edge.
void Testbench::sample()
{
    if (dut_->opnd_valid_i && dut_->opnd_ready_o) {
        beats_.pop_front();
        ++beatsTaken_;
    }
    if (dut_->req_valid_i && dut_->req_ready_o) requests_.pop_front();
    if (dut_->async_valid_i && dut_->async_ready_o) asyncs_.pop_front();
    if (dut_->rx_valid_i && dut_->rx_ready_o) rx_.pop_front();
    if (dut_->back_valid_i) backs_.pop_front();
    if (dut_->snoop_valid_i) snoops_.pop_front();
    if (dut_->launch_valid_i) launches_.pop_front();
    if (dut_->cta_end_valid_i) ends_.pop_front();
    if (dut_->mem_rsp_valid_i) reads_.pop_front();
    if (dut_->tap_valid_o) {
        const auto tap = load<raw::Tap>(dut_->tap_o);
        commits.push_back(
            {now, tap, tap.src_sm, std::uint8_t(tap.src_cta_hi << 2 | tap.src_cta_lo)});
    }
    if (dut_->rsp_valid_o && dut_->rsp_ready_i)
        answers.push_back({now, load<raw::SyncRsp>(dut_->rsp_o)});
    if (dut_->tx_valid_o && dut_->tx_ready_i) packets.push_back({now, load<raw::Pkt>(dut_->tx_o)});
    if (dut_->dlv_valid_o) told.push_back(load<raw::Deliver>(dut_->dlv_o));
    if (dut_->ack_valid_o && dut_->ack_ready_i)
        acks.push_back({now, load<raw::Ack>(dut_->ack_o), false});
    if (dut_->fail_valid_o) acks.push_back({now, load<raw::Ack>(dut_->fail_o), true});
}

void Testbench::cycle()
{
    drive();
    dut_->clk_i = 0;
    dut_->eval();
    ++evaluated;
    const bool idle = dut_->idle_o && !inputs();
    const std::uint64_t next =
        dut_->next_event_o == kNoEvent ? ~std::uint64_t{0} : dut_->next_event_o;
    sample();
    dut_->clk_i = 1;
    dut_->eval();
    if (dut_->mem_req_valid_o) {
        const auto access = load<raw::MemReq>(dut_->mem_req_o);
        if (access.we) {
            memory_[access.addr >> 3] = access.wdata;
            ++writesMade;
        } else {
            reads_.push_back({now + config_.smem_lat, memory_[access.addr >> 3]});
            ++readsMade;
        }
    }
    if (context_->gotError() || context_->gotFinish()) {
        if (fault_.empty()) fault_ = takeVerilatedPrint() + " at cycle " + std::to_string(now);
        context_->gotError(false);
        context_->gotFinish(false);
    }
    ++now;
    if (skipping && idle && next > now) {
        std::uint64_t to = next;
        if (!reads_.empty()) to = std::min(to, reads_.front().due);
        if (to = std::min(to, stop_); to != ~std::uint64_t{0}) now = std::max(now, to);
    }
}

void Testbench::run(unsigned cycles)
{
    for (unsigned i = 0; i < cycles; ++i) cycle();
}

void Testbench::runTo(std::uint64_t cycle)
{
    stop_ = cycle;
    while (now < cycle) this->cycle();
    stop_ = 0;
}

void Testbench::settle(unsigned limit)
{
    stop_ = ~std::uint64_t{0};
    for (unsigned i = 0; i < limit; ++i) {
        cycle();
        if (!inputs() && reads_.empty() && dut_->idle_o && dut_->next_event_o == kNoEvent) break;
    }
    stop_ = 0;
}

std::uint32_t Testbench::quiet() const { return dut_->cta_quiet_o; }

}  // namespace mbar
