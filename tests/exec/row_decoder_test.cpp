// Every row of the table outside the chapter whose column says that it is executed is decoded by the decoder that executes, in each
// spelling of its words; every other row is refused by name. The rows of the chapter have test_chapter_decoder.
#include <iostream>

#include "catch.hpp"
#include "exec/isa_texts.hpp"
#include "exec/machine/executor.hpp"
#include "exec/machine/kernel_run.hpp"
#include "ptx/check.hpp"
#include "ptx/parser.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// The reason for which the executor refuses it; empty if it executes all of it.
std::string refusedIn(const ptx::Module& module)
{
    LaunchSpec spec;
    spec.file = "row.launch.json";
    spec.block = {32, 1, 1};
    const exec::KernelRun machine(spec, module, RunOptions{}, nullptr);
    std::string text;
    for (const std::string& name : machine.program.unsupported) text += name + '\n';
    return text;
}

/// The module around one instruction, for the target that its row wants.
ptx::Module moduleOf(const IsaText& text, const std::string& target)
{
    return ptx::parseModule(isaModule(text.text, target), "row.ptx");
}

bool isLegal(const ptx::Module& module)
{
    return ptx::firstError(module) == nullptr &&
           ptx::checkModule(module, ptx::Dialect::Text).accepted;
}

}  // namespace

TEST_CASE("What the table says is executed is decoded, and nothing else")
{
    std::size_t rows = 0, texts = 0, refused = 0, never = 0;
    for (const ptx::IsaForm& form : ptx::isaForms()) {
        if (form.open) continue;  // video instructions: test_video
        ++rows;
        bool any = false;
        for (const IsaText& text : textsOf(form)) {
            std::optional<ptx::Module> module;
            for (const char* target : {"sm_90a", "sm_100a", "sm_120a", "sm_30", "sm_13"}) {
                ptx::Module m = moduleOf(text, target);
                if (!isLegal(m)) continue;
                module = std::move(m);
                break;
            }
            if (!module) continue;
            any = true;
            ++texts;
            INFO(form.notation << "\n" << text.text);
            const std::string why = refusedIn(*module);
            if (form.executed)
                CHECK(why.empty());
            else
                CHECK(why.find(form.opcode) == 0);
            refused += why.empty() ? 0 : 1;
        }
        never += any ? 0 : 1;
        INFO("no legal text for " << form.notation);
        CHECK(any);
    }
    std::cout << rows << " rows, " << texts << " instructions, " << refused << " refused, " << never
              << " rows without a legal one\n";
    CHECK(texts > 2000);
    CHECK(refused > 300);
}
