#include "built_from.hpp"
#include "cli/commands.hpp"

namespace gsu::cli {

const char* versionText() noexcept { return "gsu " GSU_VERSION " (" GSU_BUILT_FROM ")"; }

}  // namespace gsu::cli
