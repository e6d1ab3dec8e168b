#include <string>

#include "entries.hpp"
#include "ptx/check.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

void gsu::fuzz::ptx(std::string_view input)
{
    using namespace gsu::ptx;
    const Module module = parseModule(input, "fuzz.ptx");
    const CheckResult text = checkModule(module, Dialect::Text);
    const CheckResult ptxas = checkModule(module, Dialect::Ptxas);
    if (!module.ok()) {
        require(!text.accepted && !ptxas.accepted, "what does not parse is rejected");
        const Diagnostic* error = firstError(module);
        require(error != nullptr && error->at.line >= 1 && error->at.column >= 1 &&
                    !error->message.empty() && error->message.find('\n') == std::string::npos,
                "a refusal has a place and one line of reason");
        return;
    }
    const std::string printed = print(module);
    const Module again = parseModule(printed, "printed.ptx");
    require(again.ok(), "what is printed parses");
    require(print(again) == printed, "printing is stable");
    require(checkModule(again, Dialect::Text).accepted == text.accepted,
            "what is printed is judged alike");
}
