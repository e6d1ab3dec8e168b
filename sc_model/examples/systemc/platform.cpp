// A user's SystemC platform: warps and a copy engine as SC_MODULEs with separate clocks, synchronized by GSU behind TLM.
//   1. Named barrier: the warps come at different times to bar.sync 2; all leave together, not before the last has come.
//   2. mbarrier with bytes: warp 0 arrives, expecting 256 bytes, and starts the copy engine, which brings them in two halves; the others wait.
// Ends with 1 if anything is not as it should be. Argument: the number of bytes to bring (anything but 256 must fail).
// Licence: Apache-2.0.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <systemc>

#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "systemc/sync_tlm.hpp"
#include "verilated/rtl_port.hpp"

#include <tlm_utils/simple_initiator_socket.h>

namespace {

constexpr unsigned kWarps = 4;
constexpr std::uint32_t kBarrier = 2, kMbarrier = 0x40, kBytes = 256;
constexpr gsu::Lanes kAll = ~gsu::Lanes{0};

/// An initiator of the platform: it sends blocking commands to the sync unit.
class Initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Initiator, 32, gsu::SyncProtocol> socket{"socket"};

protected:
    explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {}
    /// Sends a command and returns when the unit has answered.
    void call(gsu::SyncTransaction& transaction, gsu::SyncCommand command)
    {
        transaction.extension().command = std::move(command);
        sc_core::sc_time delay;
        socket->b_transport(transaction.payload(), delay);
        if (!transaction.ok())
            SC_REPORT_ERROR("/platform/refused", transaction.extension().reason.c_str());
    }
    void call(gsu::SyncCommand command)
    {
        gsu::SyncTransaction transaction;
        call(transaction, std::move(command));
    }
};

/// Brings bytes to shared memory and tells the sync unit when they have arrived.
class CopyEngine final : public Initiator {
public:
    CopyEngine(const sc_core::sc_module_name& name, std::uint32_t bytes)
        : Initiator(name), bytes_(bytes)
    {
        SC_HAS_PROCESS(CopyEngine);
        SC_THREAD(run);
    }
    sc_core::sc_event start;
    sc_core::sc_time last;  ///< time when the last bytes arrived

private:
    void run()
    {
        wait(start);
        for (int half = 0; half < 2; ++half) {
            wait(300, sc_core::SC_NS);
            last = sc_core::sc_time_stamp();
            call(gsu::AsyncUpdate{
                .kind = gsu::AsyncKind::CompleteTx, .addr = kMbarrier, .amount = bytes_ / 2});
        }
    }
    std::uint32_t bytes_;
};

class Warp final : public Initiator {
public:
    Warp(const sc_core::sc_module_name& name, unsigned index, sc_core::sc_event& launched,
         sc_core::sc_event& ready, CopyEngine& copies)
        : Initiator(name), index_(index), launched_(launched), ready_(ready), copies_(copies)
    {
        SC_HAS_PROCESS(Warp);
        SC_THREAD(run);
    }
    sc_core::sc_time arrived, released, waited;
    bool woken{}, done{};

private:
    void request(gsu::SyncTransaction& transaction, gsu::Op op, gsu::Lanes lanes,
                 std::uint64_t data)
    {
        gsu::SyncRequest r;
        r.op = op;
        r.at.warp = std::uint8_t(index_);
        r.tag = std::uint16_t(index_);  // one open request per warp
        r.lanes = lanes;
        r.arg0 = kBarrier;
        r.addr.fill(kMbarrier);
        r.data.fill(data);
        call(transaction, r);
    }
    void request(gsu::Op op, gsu::Lanes lanes, std::uint64_t data)
    {
        gsu::SyncTransaction transaction;
        request(transaction, op, lanes, data);
    }
    void run()
    {
        if (index_ == 0) {
            call(gsu::Launch{.threads = 32 * kWarps, .size = 1024});
            launched_.notify(sc_core::SC_ZERO_TIME);
        } else {
            wait(launched_);
        }
        wait(40 * (index_ + 1), sc_core::SC_NS);  // time of the warp's computation
        arrived = sc_core::sc_time_stamp();
        request(gsu::Op::BarSync, kAll, 0);
        released = sc_core::sc_time_stamp();
        if (index_ == 0) {
            request(gsu::Op::MbarInit, 1, 1);
            request(gsu::Op::MbarArriveExpectTx, 1, kBytes);
            ready_.notify(sc_core::SC_ZERO_TIME);
            copies_.start.notify(sc_core::SC_ZERO_TIME);
        } else {
            wait(ready_);
            gsu::SyncTransaction transaction;
            request(transaction, gsu::Op::MbarTryWaitParity, kAll, 0);
            waited = sc_core::sc_time_stamp();
            woken = !transaction.extension().responses.empty() &&
                    transaction.extension().responses.back().pred == kAll;
        }
        call(gsu::Exit{.at = {.warp = std::uint8_t(index_)}, .lanes = kAll});
        done = true;
    }

    unsigned index_;
    sc_core::sc_event& launched_;
    sc_core::sc_event& ready_;
    CopyEngine& copies_;
};

bool good = true;
void check(bool condition, const std::string& what)
{
    if (condition) return;
    std::fprintf(stderr, "platform.cpp: NOT as it should be: %s\n", what.c_str());
    good = false;
}

}  // namespace

int sc_main(int argc, char** argv)
{
    gsu::WordMemory memory(1);
    gsu::RtlPort rtl(1, gsu::configOf(gsu::Preset::Hopper));
    rtl.setMemory(memory);
    gsu::SyncTlm sync("sync", rtl, sc_core::sc_time(1, sc_core::SC_NS));
    CopyEngine copies("copies",
                      argc > 1 ? std::uint32_t(std::strtoul(argv[1], nullptr, 10)) : kBytes);
    copies.socket.bind(sync.socket);
    sc_core::sc_event launched, ready;
    sc_core::sc_vector<Warp> warps("warp", kWarps, [&](const char* name, std::size_t i) {
        return new Warp(name, unsigned(i), launched, ready, copies);
    });
    for (Warp& warp : warps) warp.socket.bind(sync.socket);
    sc_core::sc_start(20, sc_core::SC_US);

    for (unsigned w = 0; w < kWarps; ++w) {
        const std::string name = "warp " + std::to_string(w);
        check(warps[w].done, name + " did not come to its end");
        check(warps[w].released > warps[kWarps - 1].arrived, name + " left the barrier early");
        if (w == 0) continue;
        check(warps[w].woken, name + " did not see the phase complete");
        check(warps[w].waited > copies.last, name + " was woken before the bytes were there");
    }
    if (!good) return 1;
    std::printf("bar.sync: last arrival at %s, release at %s\nmbarrier: last bytes at %s, waits "
                "over at %s\nas it should be\n",
                warps[kWarps - 1].arrived.to_string().c_str(),
                warps[0].released.to_string().c_str(), copies.last.to_string().c_str(),
                warps[1].waited.to_string().c_str());
    return 0;
}
