// Cases of the TLM target on a fake port, one per process: sc_target_test CASE. A comment at each case says what it checks.
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "fake_port.hpp"
#include "golden/golden.hpp"
#include "systemc/sync_tlm.hpp"
#include "testbench.hpp"

#include <tlm_utils/simple_initiator_socket.h>

namespace {

constexpr gsu::Cycle kLatency = 10;

class TargetTestbench final : public gsu::Testbench {
public:
    using Case = void (TargetTestbench::*)();
    using Socket = tlm_utils::simple_initiator_socket<TargetTestbench, 32, gsu::SyncProtocol>;

    TargetTestbench(const sc_core::sc_module_name& name, Case body)
        : Testbench(name, {.limit = 10'000}), body_(body)
    {
        for (Socket* s : {&first_, &second_, &third_})
            s->register_nb_transport_bw(this, &TargetTestbench::backward);
        first_.bind(sync_.socket);
        second_.bind(sync_.socket);
        third_.bind(real_.socket);
        SC_HAS_PROCESS(TargetTestbench);
        SC_THREAD(stimulate);
    }

    /// A blocking call returns in the middle of the answering cycle, with the answer; quiet cycles are not evaluated.
    void blocking()
    {
        wait(time().startOf(100));
        gsu::SyncTransaction t;
        t.extension().command = request(0, 1);
        sc_core::sc_time delay = time().startOf(5);
        first_->b_transport(t.payload(), delay);
        check(t.ok() && delay == sc_core::SC_ZERO_TIME, "answered, the delay consumed");
        check(t.extension().taken == 105 && t.extension().answered == 105 + kLatency,
              "cycles of the port");
        check(sc_core::sc_time_stamp() == time().middleOf(115), "returns when the answer is there");
        check(t.extension().responses.size() == 1 && t.extension().responses[0].tag == 1,
              "the response itself");
        check(sync_.steps() == 2, "only the cycles with an input or a deadline are evaluated");
    }
    /// Two initiators, one SM: the second request waits until the first is answered, and each answer finds its initiator.
    void queueing()
    {
        gsu::SyncTransaction a, b;
        check(begin(first_, a, request(0, 1)) == tlm::TLM_UPDATED, "taken at once");
        check(begin(second_, b, request(1, 2)) == tlm::TLM_ACCEPTED, "the SM is busy");
        wait(time().startOf(3 * kLatency));
        check(a.extension().answered == kLatency, "the first answer");
        check(b.extension().taken == kLatency + 1 && b.extension().answered == 2 * kLatency + 1,
              "the second one, in the next cycle");
        check(endReq_ == 1 && begResp_ == 2, "phases");
    }
    /// A launch that the port refuses is repeated every cycle; with wait=false the initiator gets an error.
    void refusedLaunch()
    {
        port_.refuseLaunches(3);
        gsu::SyncTransaction t;
        t.extension().wait = false;
        const gsu::Launch launch{.sm = 0, .cta = 0, .threads = 32};
        check(begin(first_, t, launch) == tlm::TLM_COMPLETED && !t.ok(), "not in this cycle");
        check(t.payload().get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "by its status");
        gsu::SyncTransaction u;
        u.extension().command = launch;
        sc_core::sc_time delay;
        first_->b_transport(u.payload(), delay);
        check(u.ok() && u.extension().taken == 1,
              "taken in the first cycle in which the port agreed");
    }
    /// Input that a port must not get is refused with a reason, and nothing reaches the port.
    void badCommands()
    {
        gsu::SyncRequest none = request(0, 1), high = request(0, 1), tap = request(0, 1);
        none.lanes = 0;
        high.at.sm = 9;
        tap.op = gsu::Op::EvLaunch;
        for (const gsu::SyncCommand& c :
             {gsu::SyncCommand{}, gsu::SyncCommand{none}, gsu::SyncCommand{high},
              gsu::SyncCommand{tap}, gsu::SyncCommand{gsu::Launch{.sm = 0, .threads = 2000}},
              gsu::SyncCommand{gsu::Exit{.at = {0, 40, 0}, .lanes = 1}}})
            refused(c);
        gsu::SyncTransaction open;
        (void)begin(first_, open, request(0, 1));
        refused(request(1, 1));  // its tag is in use
        refused(request(0, 2));  // its lanes are open
        refused(gsu::Exit{.at = {0, 0, 0}, .lanes = 1});
        tlm::tlm_generic_payload empty;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        (void)first_->nb_transport_fw(empty, phase, delay);
        check(empty.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE,
              "a payload without extension");
        wait(time().startOf(20));
        check(open.extension().answered == kLatency && begResp_ == 1, "the good one went through");
    }
    /// A command at the instant of the clock edge belongs to the next cycle, whatever the order of processes.
    void edge()
    {
        gsu::SyncTransaction a, b;
        (void)begin(first_, a, gsu::Launch{.sm = 0, .threads = 32});
        wait(time().middleOf(0));
        (void)begin(first_, b, gsu::Launch{.sm = 0, .cta = 1, .threads = 32});
        wait(time().startOf(5));
        check(a.extension().taken == 0 && b.extension().taken == 1, "cycles of the two launches");
    }
    /// A refusal by the unit is an error response with the reason, and a finding is reported; the next request is not affected.
    void unitRefuses()
    {
        gsu::SyncTransaction t;
        sc_core::sc_time delay;
        t.extension().command = gsu::Launch{.threads = 64};
        third_->b_transport(t.payload(), delay);
        gsu::SyncRequest r = request(0, 1);
        r.op = gsu::Op::BarSync;
        r.lanes = ~gsu::Lanes{0};
        r.arg0 = 1;
        r.arg1 = 48;  // no multiple of 32
        t.extension().command = r;
        third_->b_transport(t.payload(), delay);
        const gsu::SyncExtension& answer = t.extension();
        check(t.payload().get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE,
              "an error response");
        check(answer.taken != gsu::kNever && answer.answered != gsu::kNever &&
                  answer.responses.size() == 1 && answer.responses[0].cause == gsu::Cause::Refused,
              "answered by the unit");
        check(answer.findings.size() == 1 && answer.findings[0].rule == std::string("BAR-006") &&
                  answer.findings[0].effect == gsu::Effect::Refused,
              "its finding");
        check(answer.reason.find("refused by the unit: BAR-006: ") == 0, "the reason");
        r.op = gsu::Op::BarArrive;
        r.arg1 = 64;
        t.extension().command = r;
        third_->b_transport(t.payload(), delay);
        check(t.ok() && answer.reason.empty() && answer.findings.empty(), "the next one");
    }
    /// A fault of the port must end the testbench: this case is expected to fail.
    void fault()
    {
        port_.breakDown();
        gsu::SyncTransaction t;
        (void)begin(first_, t, request(0, 1));
        wait(time().startOf(50));
    }
    /// A testbench that does not reach its end fails: this case is expected to fail.
    void stuck() { wait(never_); }
    /// A SystemC warning fails the testbench: this case is expected to fail.
    void warning() { SC_REPORT_WARNING("/test", "a warning"); }

private:
    static gsu::SyncRequest request(std::uint8_t warp, std::uint16_t tag)
    {
        gsu::SyncRequest r;
        r.op = gsu::Op::BarArrive;
        r.at = {0, 0, warp};
        r.lanes = 0xff;
        r.tag = tag;
        return r;
    }
    void check(bool holds, const char* what)
    {
        if (!holds) fail(std::string("not so: ") + what);
    }
    void refused(gsu::SyncCommand command)
    {
        gsu::SyncTransaction t;
        check(begin(first_, t, std::move(command)) == tlm::TLM_COMPLETED && !t.ok() &&
                  !t.extension().reason.empty(),
              "refused with a reason");
    }
    tlm::tlm_sync_enum begin(Socket& socket, gsu::SyncTransaction& t, gsu::SyncCommand command)
    {
        t.extension().command = std::move(command);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        return socket->nb_transport_fw(t.payload(), phase, delay);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&)
    {
        endReq_ += phase == tlm::END_REQ;
        begResp_ += phase == tlm::BEGIN_RESP;
        return tlm::TLM_COMPLETED;
    }
    void stimulate()
    {
        (this->*body_)();
        finish();
    }

    Case body_;
    gsu::test::FakePort port_{2, kLatency};
    gsu::SyncTlm sync_{"sync", port_, options().period};
    std::unique_ptr<gsu::SyncPort> golden_ = gsu::makeGoldenPort(1);
    gsu::SyncTlm real_{"real", *golden_, options().period};
    Socket first_{"first"}, second_{"second"}, third_{"third"};
    sc_core::sc_event never_;
    unsigned endReq_{}, begResp_{};
};

}  // namespace

int sc_main(int argc, char** argv)
{
    const std::map<std::string, TargetTestbench::Case> cases{
        {"blocking", &TargetTestbench::blocking},
        {"queueing", &TargetTestbench::queueing},
        {"refused_launch", &TargetTestbench::refusedLaunch},
        {"bad_commands", &TargetTestbench::badCommands},
        {"edge", &TargetTestbench::edge},
        {"unit_refuses", &TargetTestbench::unitRefuses},
        {"fault", &TargetTestbench::fault},
        {"stuck", &TargetTestbench::stuck},
        {"warning", &TargetTestbench::warning}};
    const auto chosen = cases.find(argc == 2 ? argv[1] : "");
    if (chosen == cases.end()) {
        std::fprintf(stderr, "sc_target_test: give the name of a case\n");
        return 2;
    }
    TargetTestbench testbench("testbench", chosen->second);
    return testbench.run();
}
