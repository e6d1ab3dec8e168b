// gsu exec where the stand-in of the CUDA libraries is missing: one line that says how to get it.

#include "gsu_process.hpp"

using process::Folder;
namespace fs = process::fs;

namespace {

/// The program in another folder, asked to run a program.
process::Outcome execIn(const Folder& folder)
{
    const std::string command = "'" + (folder / "gsu") + "' exec -- true >'" + (folder / "out") +
                                "' 2>'" + (folder / "err") + "'";
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), process::slurp(folder / "out"), process::slurp(folder / "err")};
}

}  // namespace

TEST_CASE("gsu exec without its libraries names the command that builds them", "[cli][exec]")
{
    const Folder folder;
    fs::copy_file(GSU_BINARY, folder / "gsu");
    const process::Outcome installed = execIn(folder);
    CHECK(installed.code == 2);
    CHECK(installed.err ==
          "gsu exec: this installation has no stand-in of the CUDA libraries: build the target "
          "gsu_cuda and install again\n");
    process::spill(folder / "CMakeCache.txt", "");
    const process::Outcome built = execIn(folder);
    CHECK(built.code == 2);
    const std::string self = fs::canonical(folder / "").string();
    CHECK(built.err ==
          "gsu exec: the stand-in of the CUDA libraries is not built yet: cmake --build " + self +
              " --target gsu_cuda\n");
    CHECK(built.out.empty());
}
