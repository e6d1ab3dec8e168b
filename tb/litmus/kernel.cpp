#include "litmus/kernel.hpp"

#include <algorithm>
#include <map>

#include "litmus/kernel_writer.hpp"

namespace gsu::litmus {
namespace {

/// An instruction of the witness, with its clock and those of its stores.
struct Timed {
    unsigned pc{};
    Cycle at{}, cta{}, everyone{};
};

/// Walks through a witness: for each thread, its instructions with their clocks and the clocks of their stores.
std::vector<std::vector<Timed>> timed(const Test& test, MemoryForm form,
                                      const std::vector<Step>& steps, const Pace& pace)
{
    Machine machine(test, form);
    std::vector<Machine::Executed> executed;
    machine.traceTo(&executed);
    State s = machine.initial();
    std::vector<std::vector<Timed>> threads(test.threads.size());
    std::map<std::pair<unsigned, unsigned>, std::vector<std::size_t>>
        open;  // by thread and location: oldest first
    std::size_t done = 0;
    Cycle now = pace.start;
    const auto note = [&] {
        for (; done < executed.size(); ++done)
            threads[executed[done].thread].push_back({executed[done].pc, now, 0, 0});
    };
    note();
    for (const Step& step : steps) {
        now += pace.step;
        Pending p;
        const bool performs = step.what == Step::What::ToCta || step.what == Step::What::ToEveryone;
        if (performs) p = s.pending[step.index];
        const std::size_t before = s.pending.size();
        const std::size_t first = executed.size();
        machine.take(s, step);
        note();
        if (step.what == Step::What::Execute && s.pending.size() > before) {
            const Instruction& i = test.threads[step.index].code[executed[first].pc];
            std::size_t place = threads[step.index].size() - (executed.size() - first);
            open[{step.index, i.location}].push_back(place);
        }
        if (!performs) continue;
        // The thread's first store to the location that has not made this step makes it.
        std::vector<std::size_t>& list = open[{p.thread, p.location}];
        for (const std::size_t place : list) {
            Timed& t = threads[p.thread][place];
            Cycle& mark = step.what == Step::What::ToCta ? t.cta : t.everyone;
            if (mark != 0) continue;
            mark = now;
            break;
        }
    }
    return threads;
}

}  // namespace

Kernel kernelOf(const Test& test, MemoryForm form, const std::vector<Step>& steps, const Pace& pace,
                const std::string& ptxName)
{
    Kernel k;
    KernelWriter writer(test);
    k.why = writer.why;
    if (!k.why.empty()) return k;
    k.end = pace.start + (steps.size() + 2) * pace.step + 8000;
    const std::vector<std::vector<Timed>> threads = timed(test, form, steps, pace);
    writer.begin();
    for (unsigned t = 0; t < threads.size(); ++t) {
        writer.threadBegin(t);
        for (const Timed& at : threads[t]) {
            const Instruction& i = test.threads[t].code[at.pc];
            const bool local = i.kind == Kind::Move || i.kind == Kind::Arithmetic;
            if (!local) writer.waitUntil(at.at);
            writer.instruction(t, i);
            if (at.cta == 0 && at.everyone == 0) continue;
            // In the witness, a store that a reader forces happens early; here it happens as late as it may.
            const Cycle everyone = at.everyone != 0 ? at.everyone : k.end - 1000;
            k.late.push_back(
                {writer.line() - 1, at.cta != 0 ? std::min(at.cta, everyone) : everyone, everyone});
        }
        writer.threadEnd(t, k.end);
    }
    k.ptx = writer.finish();
    k.launch = writer.launch(ptxName);
    k.why = writer.why;
    return k;
}

ManyKernel manyKernelOf(const Test& test)
{
    KernelWriter writer(test);
    ManyKernel k;
    if (writer.why.empty()) {
        writer.beginMany();
        for (unsigned t = 0; t < test.threads.size(); ++t) {
            writer.threadBegin(t);
            writer.meet(t, 0, true);
            for (const Instruction& i : test.threads[t].code) {
                if (i.kind == Kind::Branch || i.kind == Kind::Goto) writer.why = "it branches";
                writer.instruction(t, i);
            }
            writer.meet(t, 1, false);
            writer.show(t);
        }
        k.ptx = writer.finish();
    }
    k.why = writer.why;
    k.ctas = writer.ctas();
    k.cluster = writer.clusterCtas();
    k.threads = writer.threads();
    k.words = writer.words();
    return k;
}

}  // namespace gsu::litmus
