#include "cli/commands.hpp"
#include "golden/input_error.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::cli {

int help(const std::string& mnemonic)
{
    const std::string text = ptx::syncHelp(mnemonic);
    if (text.empty()) {
        throw InputError("INSTRUCTION", 0, 0,
                         "'" + mnemonic + "' is the beginning of no synchronization instruction");
    }
    print(text.back() == '\n' ? text : text + '\n');
    return kAsExpected;
}

}  // namespace gsu::cli
