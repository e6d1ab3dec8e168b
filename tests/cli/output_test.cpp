// Every option that writes: an output folder is made with its parents, an output file in a folder that is not there is refused before
// anything runs.
#include <algorithm>
#include <regex>
#include <vector>

#include "gsu_process.hpp"

using process::data;
using process::Folder;
using process::refused;
using process::runGsu;
using process::slurp;
using process::spill;

namespace {

namespace fs = std::filesystem;

enum class Kind { Folder, File };

/// A call that writes, without its input; `option` is put behind the command, with the output.
struct Writes {
    const char *command, *option;
    Kind kind;
    std::string rest;
};

const std::vector<Writes>& allWrites()
{
    static const std::string count = data("count.launch.json"),
                             test =
                                 testfiles::testsFolder() + "/litmus/shapes/22w_cta_relaxed.litmus";
    static const std::vector<Writes> all{
        {"run", "--fst", Kind::File, "--unit rtl " + count},
        {"run", "--record", Kind::File, "--unit golden " + count},
        {"run", "--timeline", Kind::File, "--unit golden " + count},
        {"run", "--dot", Kind::File, "--unit golden " + count},
        {"run", "--sarif", Kind::File, "--unit golden " + count},
        {"run", "--dump-smem", Kind::File, "--unit golden " + count},
        {"run", "--dump-memory", Kind::Folder, "--unit golden " + count},
        {"exec", "--fst", Kind::File, "--unit rtl --kernel k -- true"},
        {"exec", "--record", Kind::File, "--unit golden --kernel k -- true"},
        {"exec", "--timeline", Kind::File, "--unit golden --kernel k -- true"},
        {"exec", "--sarif", Kind::File, "--unit golden -- true"},
        {"exec", "--save", Kind::Folder, "--unit golden -- true"},
        {"init", "--output", Kind::File, data("count.ptx")},
        {"replay", "--fst", Kind::File, "--unit rtl x.gsut"},
        {"replay", "--record", Kind::File, "--unit golden x.gsut"},
        {"replay", "--timeline", Kind::File, "--unit golden x.gsut"},
        {"fuzz", "--out", Kind::Folder, "--print --programs 1"},
        {"fuzz", "--out", Kind::Folder, "--requests 10 --unit golden"},
        {"fuzz", "--resume", Kind::File, "--programs 1 --unit golden"},
        {"fuzz", "--resume", Kind::File, "--requests 10 --unit golden"},
        {"fuzz", "--record", Kind::Folder, "--requests 10 --unit golden"},
        {"fuzz", "--coverage", Kind::File, "--requests 10 --unit golden"},
        {"litmus", "--kernels", Kind::Folder, test},
        {"rules", "--examples", Kind::Folder, ""},
        {"gen ring", "--output", Kind::Folder, ""},
    };
    return all;
}

/// Options that take a file and only read it.
const char* const kReadOptions[] = {"--ignore-file", "--dump"};

std::string callOf(const Writes& w, const std::string& output)
{
    return std::string(w.command) + ' ' + w.option + " '" + output + "' " + w.rest;
}

}  // namespace

TEST_CASE("an output file in a folder that is not there is refused before anything runs", "[cli]")
{
    for (const Writes& w : allWrites()) {
        const Folder folder;
        if (w.kind != Kind::File) continue;
        const std::string place = folder / "no/such";
        refused(callOf(w, place + "/x"), std::string("gsu: ") + w.option + ": '" + place +
                                             "/x' cannot be written: there is no folder '" + place +
                                             "'\n");
        spill(folder / "file", "kept");
        refused(callOf(w, folder / "file/x"), ": there is no folder '" + (folder / "file") + "'\n");
        refused(callOf(w, folder / ""), std::string("gsu: ") + w.option + ": '");
        CHECK(slurp(folder / "file") == "kept");
        CHECK(folder.files() == 1);
    }
}

TEST_CASE("an output folder is made, with its parents", "[cli]")
{
    for (const Writes& w : allWrites()) {
        const Folder folder;
        if (w.kind != Kind::Folder) continue;
        const auto r = runGsu(callOf(w, folder / "new/one"));
        CAPTURE(w.command, w.option, w.rest, r.out, r.err);
        CHECK((r.code == 0 || w.option == std::string("--save")));  // gsu exec may not be built
        CHECK(fs::is_directory(folder / "new/one"));
        spill(folder / "file", "kept");
        for (const std::string& to : {folder / "file", folder / "file/x"})
            refused(callOf(w, to), std::string("gsu: ") + w.option + ": '" + to +
                                       "' is not a folder, and cannot be made one: ");
        CHECK(slurp(folder / "file") == "kept");
    }
}

TEST_CASE("the tables of outputs have every option with a file or folder", "[cli]")
{
    const std::regex option("\n +(?:-[a-z],)?(--[a-z-]+) (?:FILE|DIR)\\b");
    unsigned found = 0;
    for (const char* command : {"run", "exec", "init", "check", "replay", "decode", "gen ring",
                                "fuzz", "litmus", "params", "rules", "help"}) {
        const std::string help = runGsu(std::string(command) + " --help").out;
        for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it) {
            const std::string name = (*it)[1];
            CAPTURE(command, name);
            ++found;
            const auto same = [&](const Writes& w) {
                return w.command == std::string(command) && w.option == name;
            };
            CHECK((std::any_of(allWrites().begin(), allWrites().end(), same) ||
                   std::find(std::begin(kReadOptions), std::end(kReadOptions), name) !=
                       std::end(kReadOptions)));
        }
    }
    CHECK(found > 20);
}
