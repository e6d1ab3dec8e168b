// A user's SystemC model that drives the sync unit: a producer warp and a consumer warp of one CTA pass a buffer through two named barriers
// ("full" and "empty"). The core has a separate, slower clock: the unit answers in its own cycles, and the core sees the answers in the
// core's cycles.
#include <cstdio>
#include <string>
#include <systemc>

#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "systemc/sync_tlm.hpp"
#include "verilated/rtl_port.hpp"

#include <tlm_utils/simple_initiator_socket.h>

namespace {

constexpr std::uint32_t kFull = 1, kEmpty = 2;
constexpr std::uint32_t kThreads = 64;  // both warps take part in both barriers
constexpr int kItems = 4;

class Core final : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Core, 32, gsu::SyncProtocol> socket{"socket"};

    explicit Core(const sc_core::sc_module_name& name) : sc_module(name)
    {
        SC_HAS_PROCESS(Core);
        SC_THREAD(producer);
        SC_THREAD(consumer);
    }
    [[nodiscard]] int consumed() const noexcept { return consumed_; }

private:
    /// Sends a command and returns when it is answered; this is the blocking form of the target.
    gsu::Cycle call(gsu::SyncCommand command)
    {
        gsu::SyncTransaction transaction;
        transaction.extension().command = std::move(command);
        sc_core::sc_time delay;
        socket->b_transport(transaction.payload(), delay);
        if (!transaction.ok())
            SC_REPORT_ERROR("/example/refused", transaction.extension().reason.c_str());
        return transaction.extension().answered;
    }
    gsu::Cycle bar(gsu::Op op, std::uint8_t warp, std::uint32_t id)
    {
        gsu::SyncRequest request;
        request.op = op;
        request.at = {.sm = 0, .cta = 0, .warp = warp};
        request.lanes = ~gsu::Lanes{0};
        request.tag = warp;  // one open request per warp: its index is a free tag
        request.arg0 = id;
        request.arg1 = kThreads;
        return call(request);
    }
    void work(unsigned clocks) { wait(clocks * clock_.period()); }

    void producer()
    {
        call(gsu::Launch{.sm = 0, .cta = 0, .ctas = 1, .threads = kThreads});
        launched_.notify(sc_core::SC_ZERO_TIME);
        for (int item = 0; item < kItems; ++item) {
            if (item > 0)
                std::printf("%9s  producer: buffer free in cycle %llu\n", now(),
                            cycle(bar(gsu::Op::BarSync, 0, kEmpty)));
            work(20);
            buffer_ = item * item;
            std::printf("%9s  producer: wrote %d, arrive taken in cycle %llu\n", now(), buffer_,
                        cycle(bar(gsu::Op::BarArrive, 0, kFull)));
        }
        call(gsu::Exit{.at = {.sm = 0, .cta = 0, .warp = 0}, .lanes = ~gsu::Lanes{0}});
    }
    void consumer()
    {
        wait(launched_);
        for (int item = 0; item < kItems; ++item) {
            const gsu::Cycle released = bar(gsu::Op::BarSync, 1, kFull);
            std::printf("%9s  consumer: released in cycle %llu, read %d\n", now(), cycle(released),
                        buffer_);
            consumed_ += buffer_ == item * item;
            work(7);
            if (item + 1 < kItems) bar(gsu::Op::BarArrive, 1, kEmpty);
        }
        call(gsu::Exit{.at = {.sm = 0, .cta = 0, .warp = 1}, .lanes = ~gsu::Lanes{0}});
        sc_core::sc_stop();
    }
    static const char* now()
    {
        static std::string text;
        text = sc_core::sc_time_stamp().to_string();
        return text.c_str();
    }
    static unsigned long long cycle(gsu::Cycle value) { return value; }

    sc_core::sc_clock clock_{"clock", 3, sc_core::SC_NS};
    sc_core::sc_event launched_;
    int buffer_{-1};
    int consumed_{};
};

}  // namespace

int sc_main(int, char**)
{
    gsu::WordMemory memory(1);
    gsu::RtlPort rtl(1, gsu::configOf(gsu::Preset::Hopper));
    rtl.setMemory(memory);
    gsu::SyncTlm sync("sync", rtl, sc_core::sc_time(1, sc_core::SC_NS));
    Core core("core");
    core.socket.bind(sync.socket);
    sc_core::sc_start(10, sc_core::SC_US);
    std::printf("%d of %d items arrived in order; %llu cycles of the unit were evaluated\n",
                core.consumed(), kItems, static_cast<unsigned long long>(sync.steps()));
    return core.consumed() == kItems ? 0 : 1;
}
