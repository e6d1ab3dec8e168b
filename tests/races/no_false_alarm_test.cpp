// Kernels that are right have no race; a lock of plain loads and stores, which is among them, has.
#include <iostream>

#include "catch.hpp"
#include "files.hpp"
#include "watched_run.hpp"

using namespace gsu;
using namespace racetests;

namespace {

namespace fs = std::filesystem;

/// Launch files of a folder and below it that hold one launch.
std::vector<fs::path> launchesOf(const std::string& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.size() > 12 && name.substr(name.size() - 12) == ".launch.json" &&
            testfiles::slurp(entry.path().string()).find("\"launches\"") == std::string::npos)
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<Finding> racesIn(const fs::path& file)
{
    std::optional<ptx::Module> module;
    const LaunchFile loaded =
        loadLaunchFile(file.string(), [&](const LaunchSpec& spec) -> const ptx::Module& {
            if (!module) module = loadModule(spec);
            return *module;
        });
    if (!module) module = loadModule(loaded.common);
    RunOptions options;
    options.maxCycles = 3'000'000;
    return racesOf(watchedRun(loaded.common, *module, options));
}

}  // namespace

TEST_CASE("the project's kernels have no race", "[races]")
{
    unsigned kernels = 0;
    for (const char* folder : {"/kernels", "/kernels_order", "/tutorials"}) {
        for (const fs::path& file : launchesOf(testfiles::testsFolder() + folder)) {
            INFO(file.string());
            const std::vector<Finding> found = racesIn(file);
            INFO(textOf(found));
            if (file.parent_path().filename() == "lock_weak_loads")
                CHECK(found.size() >= 4);
            else
                CHECK(found.empty());
            ++kernels;
        }
    }
    CHECK(kernels >= 20);
}
