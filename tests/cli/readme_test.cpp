// What the README shows is what the program prints.
#include <sstream>

#include "gsu_process.hpp"

TEST_CASE("the report in the README is that of the demo's kernel", "[cli]")
{
    const std::string root = testfiles::testsFolder() + "/../";
    const auto run = process::gsu("run '" + root +
                                  "tests/kernels/cluster_pipeline/cluster_pipeline.launch.json'");
    REQUIRE(run.code == 0);
    std::istringstream readme(process::slurp(root + "README.md"));
    std::string line;
    while (std::getline(readme, line) && line.rfind("pass (as expected)  cluster_pipeline", 0) != 0)
        ;
    unsigned shown = 0;
    for (; readme && line != "```"; std::getline(readme, line)) {
        if (line.rfind("  ... and", 0) == 0) continue;  // the README shows fewer lines
        INFO("not printed: " << line);
        CHECK(run.out.find(line) != std::string::npos);
        ++shown;
    }
    CHECK(shown > 15);
}
