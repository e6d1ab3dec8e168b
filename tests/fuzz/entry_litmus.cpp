#include <string>

#include "base/input_error.hpp"
#include "entries.hpp"
#include "litmus/kernel.hpp"
#include "litmus/kernel_test.hpp"
#include "litmus/races.hpp"
#include "ptx/parser.hpp"

namespace {

using namespace gsu::litmus;
using gsu::fuzz::require;

constexpr std::uint64_t kStates = 300;
constexpr std::uint64_t kBytes = 16u << 20;
constexpr std::uint64_t kRuns = 2;

void needPtx(const std::string& why, const std::string& ptx, const char* what)
{
    if (why.empty()) require(gsu::ptx::parseModule(ptx, "fuzz.ptx").ok(), what);
}

void explored(const Test& test, MemoryForm form)
{
    const Machine machine(test, form);
    ExploreOptions options;
    options.form = form;
    options.states = kStates;
    options.bytes = kBytes;
    options.runs = kRuns;
    const Exploration e = explore(machine, options);
    for (const Seen& seen : e.seen) {
        require(witness(machine, seen.steps).size() == seen.steps.size(),
                "a witness has a line for each step");
        require(contradiction(test, e, seen.values).empty(), "an outcome is one of the outcomes");
        if (form == MemoryForm::Immediate) static_cast<void>(racesOf(test, seen.steps));
        const Kernel kernel = kernelOf(test, form, seen.steps, {}, "fuzz.ptx");
        needPtx(kernel.why, kernel.ptx, "the kernel of a witness is PTX");
    }
    static_cast<void>(witness(machine, e.firstHang));
}

}  // namespace

void gsu::fuzz::litmus(std::string_view input)
{
    const std::string text(input);
    try {
        if (isKernelTest(text)) {
            require(!parseKernelTest(text, "fuzz.litmus").launch.empty(), "it names a launch file");
            return;
        }
        const Test test = parseTest(text, "fuzz.litmus");
        for (const MemoryForm form :
             {MemoryForm::Immediate, MemoryForm::Default, MemoryForm::Weak}) {
            explored(test, form);
        }
        const ManyKernel many = manyKernelOf(test);
        needPtx(many.why, many.ptx, "the kernel for a GPU is PTX");
    } catch (const InputError& e) {
        require(!e.reason.empty(), "a refusal has a reason");
    }
}
