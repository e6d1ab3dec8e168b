/// Runs the program gsu as a user does: arguments in, exit code, standard output and standard error out.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "files.hpp"

namespace process {

namespace fs = std::filesystem;

using testfiles::Folder;
using testfiles::slurp;
using testfiles::spill;

struct Outcome {
    int code{};
    std::string out, err;
};

/// `arguments` as for a shell; single quotes around what has blanks.
inline Outcome runGsu(const std::string& arguments)
{
    const Folder folder;
    // Piece by piece: g++ 12 warns of nothing in a sum of strings.
    std::string command = "'";
    command.append(GSU_BINARY).append("' ").append(arguments);
    command.append(" >'").append(folder / "out").append("' 2>'").append(folder / "err");
    command += '\'';
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), slurp(folder / "out"), slurp(folder / "err")};
}

/// gsu refuses it: exit code 2, nothing on standard output, one line on standard error, with `says` in it.
inline void refused(const std::string& arguments, const std::string& says)
{
    const Outcome r = runGsu(arguments);
    CAPTURE(arguments, r.out, r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    REQUIRE(!r.err.empty());
    CHECK(r.err.find('\n') == r.err.size() - 1);
    CHECK(r.err.size() < 1000);
    CHECK(r.err.find(says) != std::string::npos);
}

/// A kernel of tests/kernels: "dsmem_lock" is dsmem_lock/dsmem_lock.launch.json, "attention_sm90/attention_causal" is what it says.
inline std::string kernel(const std::string& name)
{
    const std::string file = name.find('/') == std::string::npos ? name + '/' + name : name;
    return testfiles::testsFolder() + "/kernels/" + file + ".launch.json";
}

inline std::string data(const std::string& name)
{
    return testfiles::testsFolder() + "/cli/data/" + name;
}

}  // namespace process
