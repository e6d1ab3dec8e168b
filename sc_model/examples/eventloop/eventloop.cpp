// GSU in an event-driven simulator, in the shape of gem5: one queue of events in ticks, objects with separate clocks, a compute unit whose
// warps issue, wait and continue. The unit gets an event only in cycles in which something can happen.
//   20 SMs (two networks of GSU), a CTA of eight warps each; every warp computes for a while, meets the others at bar.sync 0, and
//   arrives and waits at an mbarrier, in turns. SMs run at 1.6 GHz, a tick is a picosecond.
// Checks that no warp leaves a barrier before the last one has come, and ends with 1 if anything is not as it should be. Then it prints
// GSU's report about waiting warps. Arguments: the unit, and the arrivals that the mbarrier expects (anything but 256 must fail).
// Licence: Apache-2.0.
#include <gsu.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <vector>

using Tick = std::uint64_t;
constexpr unsigned kSms = 20, kWarps = 8, kRounds = 6, kThreads = kWarps * 32, kMbarrier = 64;
constexpr Tick kPeriod = 625;  // 1.6 GHz

[[noreturn]] void wrong(const std::string& what)
{
    std::fprintf(stderr, "eventloop.cpp: NOT as it should be: %s\n", what.c_str());
    std::exit(1);
}

gsu_status call(gsu_status status, const char* what)
{
    if (status < 0)
        wrong(std::string(what) + ": " + gsu_status_name(status) + ": " + gsu_last_error());
    return status;
}

/// The simulator's queue: events in the order of time and then of scheduling.
class EventQueue {
public:
    Tick now = 0;
    void schedule(Tick when, std::function<void()> what)
    {
        events_.push({when, order_++, std::move(what)});
    }
    void run()
    {
        while (!events_.empty()) {
            const Event next = events_.top();
            events_.pop();
            now = next.when;
            next.what();
        }
    }

private:
    struct Event {
        Tick when;
        std::uint64_t order;
        std::function<void()> what;
        bool operator<(const Event& other) const
        {
            return when != other.when ? when > other.when : order > other.order;
        }
    };
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
};

/// The clocked object around GSU. Requests wait in a FIFO for each SM; its clock stands still while the unit is quiet.
class SyncUnit {
public:
    using Heard = std::function<void(const gsu_event&)>;
    SyncUnit(EventQueue& queue, const char* kind, Heard heard)
        : queue_(queue), heard_(std::move(heard)), fifo_(kSms)
    {
        gsu_options options = GSU_INIT(gsu_options);
        options.abi = GSU_ABI;
        options.unit = kind;
        options.sms = kSms;
        options.events = GSU_EVENTS_RESPONSE | GSU_EVENTS_RELEASE | GSU_EVENTS_CTA_FREE;
        call(gsu_unit_create(&options, &unit_), "gsu_unit_create");
    }
    ~SyncUnit() { gsu_unit_destroy(unit_); }
    SyncUnit(const SyncUnit&) = delete;
    SyncUnit& operator=(const SyncUnit&) = delete;

    gsu_unit* handle() { return unit_; }
    /// Schedules an event in the next cycle, unless there is an earlier one: there is input.
    void wake() { at((queue_.now + kPeriod - 1) / kPeriod); }
    /// Puts a request into the FIFO of its SM; called from an event of the simulator.
    void issue(const gsu_request& request)
    {
        fifo_[request.sm].push_back(request);
        wake();
    }
    void leave(const gsu_exit& lanes)
    {
        leaving_.push_back(lanes);
        wake();
    }
    std::uint64_t ticks = 0;  ///< cycles in which the unit was evaluated

private:
    void at(std::uint64_t cycle)
    {
        if (scheduled_ && scheduledFor_ <= cycle) return;
        scheduled_ = true;
        scheduledFor_ = cycle;
        queue_.schedule(cycle * kPeriod, [this, cycle] {
            if (scheduled_ && scheduledFor_ == cycle) tick(cycle);
        });
    }
    void tick(std::uint64_t cycle)
    {
        scheduled_ = false;
        std::uint64_t now = 0;
        call(gsu_unit_now(unit_, &now), "gsu_unit_now");
        if (now > cycle)
            return at(now);  // this cycle was evaluated before: the input belongs to the next
        // the cycles between were quiet
        if (now < cycle) call(gsu_unit_skip_to(unit_, cycle), "gsu_unit_skip_to");
        for (std::uint32_t sm = 0; sm < kSms; ++sm) {
            if (fifo_[sm].empty() || gsu_unit_can_present(unit_, sm) != 1) continue;
            call(gsu_unit_present(unit_, &fifo_[sm].front()), "gsu_unit_present");
            fifo_[sm].pop_front();
        }
        for (const gsu_exit& lanes : leaving_) call(gsu_unit_exit(unit_, &lanes), "gsu_unit_exit");
        leaving_.clear();
        call(gsu_unit_step(unit_), "gsu_unit_step");
        ++ticks;
        gsu_event event = GSU_INIT(gsu_event);
        while (gsu_unit_next_event(unit_, &event) == 1) heard_(event);
        const char* text = nullptr;
        if (gsu_unit_fault(unit_, nullptr, &text) == 1) wrong(text);
        std::uint64_t next = 0;
        call(gsu_unit_quiet_until(unit_, &next), "gsu_unit_quiet_until");
        for (const auto& fifo : fifo_)
            if (!fifo.empty()) next = cycle + 1;
        if (next != GSU_NEVER) at(next);
    }

    EventQueue& queue_;
    Heard heard_;
    std::vector<std::deque<gsu_request>> fifo_;
    std::vector<gsu_exit> leaving_;
    gsu_unit* unit_ = nullptr;
    bool scheduled_ = false;
    std::uint64_t scheduledFor_ = 0;
};

/// All compute units: the next instructions of their warps, and the answers that they have received.
class Machine {
public:
    Machine(const char* unit, std::uint32_t arrivals)
        : sync_(queue_, unit, [this](const gsu_event& e) { heard(e); }),
          warps_(kSms * kWarps),
          arrivals_(arrivals)
    {
    }
    int run()
    {
        for (std::uint8_t sm = 0; sm < kSms; ++sm) start(sm);
        queue_.run();
        const char* who = "";
        call(gsu_unit_explain(sync_.handle(), &who), "gsu_unit_explain");
        if (*who != '\0') wrong(std::string("hang: ") + who);
        if (freed_ != kSms || met_ != kSms * kRounds) wrong("not every CTA came to its end");
        std::printf(
            "%u barriers of %u SMs in %.2f us; the unit was evaluated in %llu of %llu cycles\n",
            met_, kSms, double(queue_.now) * 1e-6, static_cast<unsigned long long>(sync_.ticks),
            static_cast<unsigned long long>(queue_.now / kPeriod));
        return 0;
    }

private:
    enum Step : std::uint8_t { Init, Meet, Arrive, Wait };
    struct Warp {
        unsigned round = 0;
        Step step = Meet;
        bool waits = false;
    };
    Warp& at(unsigned sm, unsigned warp) { return warps_[sm * kWarps + warp]; }
    /// Launches before the queue runs: cycles of the unit take no time here.
    void start(std::uint8_t sm)
    {
        gsu_launch cta = GSU_INIT(gsu_launch);
        cta.sm = sm;
        cta.threads = kThreads;
        cta.smem_size = 4096;
        if (call(gsu_unit_launch(sync_.handle(), &cta), "gsu_unit_launch") != 1)
            wrong("a CTA was not taken");
        sync_.wake();
        at(sm, 0).step = Init;
        for (std::uint8_t warp = 0; warp < kWarps; ++warp) compute(sm, warp);
    }
    /// Lets the warp compute and then execute its next instruction.
    void compute(std::uint8_t sm, std::uint8_t warp)
    {
        const Tick clocks = 20 + random_() % 400;
        queue_.schedule(queue_.now + clocks * kPeriod, [=] { execute(sm, warp); });
    }
    void execute(std::uint8_t sm, std::uint8_t warp)
    {
        Warp& w = at(sm, warp);
        if (w.round == kRounds) {
            gsu_exit lanes = GSU_INIT(gsu_exit);
            lanes.sm = sm;
            lanes.warp = warp;
            lanes.lanes = 0xffffffff;
            return sync_.leave(lanes);
        }
        static const std::uint8_t kOps[] = {GSU_OP_MBAR_INIT, GSU_OP_BAR_SYNC, GSU_OP_MBAR_ARRIVE,
                                            GSU_OP_MBAR_TRY_WAIT_PARITY};
        gsu_request r = GSU_INIT(gsu_request);
        r.op = kOps[w.step];
        r.sm = sm;
        r.warp = warp;
        r.tag = warp;
        r.lanes = w.step == Init ? 1 : 0xffffffff;
        for (unsigned lane = 0; lane < 32; ++lane) {
            r.addr[lane] = kMbarrier;
            r.data[lane] = w.step == Init ? arrivals_ : w.step == Wait ? w.round % 2 : 1;
            r.limit[lane] = 100000;
        }
        r.kind = w.step == Wait;
        w.waits = w.step == Meet;
        sync_.issue(r);
    }
    void heard(const gsu_event& e)
    {
        if (e.kind == GSU_EVENT_CTA_FREE) ++freed_;
        if (e.kind == GSU_EVENT_RELEASE) {
            ++met_;
            if (e.of.release.warps != (1u << kWarps) - 1)
                wrong("a barrier completed without all warps");
            for (std::uint8_t warp = 0; warp < kWarps; ++warp) {
                if (!at(e.of.release.sm, warp).waits)
                    wrong("a warp is released that does not wait");
                goOn(e.of.release.sm, warp);
            }
        }
        if (e.kind == GSU_EVENT_RESPONSE && e.of.response.last) {
            const gsu_response& r = e.of.response;
            if (at(r.sm, r.warp).step == Wait && r.pred != 0xffffffff)
                wrong("a wait came back false: " + explain());
            goOn(r.sm, r.warp);
        }
    }
    std::string explain()
    {
        gsu_mbarrier_state state = GSU_INIT(gsu_mbarrier_state);
        call(gsu_unit_mbarrier(sync_.handle(), 0, 0, kMbarrier, &state), "gsu_unit_mbarrier");
        return std::to_string(state.pending) + " of " + std::to_string(state.expected) +
               " arrivals are missing";
    }
    void goOn(std::uint8_t sm, std::uint8_t warp)
    {
        Warp& w = at(sm, warp);
        w.waits = false;
        if (w.step == Wait) {
            ++w.round;
            w.step = Meet;
        } else {
            w.step = Step(w.step + 1);
        }
        compute(sm, warp);
    }

    EventQueue queue_;
    SyncUnit sync_;
    std::vector<Warp> warps_;
    std::uint32_t arrivals_;
    std::mt19937 random_{1};
    unsigned met_ = 0, freed_ = 0;
};

int main(int argc, char** argv)
{
    const std::uint32_t arrivals =
        argc > 2 ? std::uint32_t(std::strtoul(argv[2], nullptr, 10)) : kThreads;
    return Machine(argc > 1 ? argv[1] : "lockstep", arrivals).run();
}
