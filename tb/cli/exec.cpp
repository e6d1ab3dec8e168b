#include "cli/exec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/atomic_file.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "cli/exec_process.hpp"
#include "cli/program_file.hpp"
#include "run/findings_json.hpp"

namespace gsu::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kStandIn = "libgsu_cuda.so";
/// Names of the libraries that programs load, as in tb/cuda/CMakeLists.txt.
constexpr std::array kNames{"libcudart.so.11.0",  "libcudart.so.12",    "libcudart.so.13",
                            "libcudart.so",       "libcuda.so.1",       "libcuda.so",
                            "libnvJitLink.so.12", "libnvJitLink.so.13", "libnvJitLink.so",
                            "libcublas.so.11",    "libcublas.so.12",    "libcublas.so.13",
                            "libcublas.so"};

/// The folder with the stand-in: beside the program in the build folder, or where it is installed.
fs::path standInFolder()
{
    const fs::path self = fs::read_symlink("/proc/self/exe").parent_path();
    std::vector<fs::path> folders{self / "cuda"};
    // Folders in which distributions keep libraries.
    for (const char* libraries : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"})
        folders.push_back(self / ".." / libraries / "gsu" / "cuda");
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / kStandIn)) return fs::weakly_canonical(folder);
    }
    const bool built = fs::exists(self / "CMakeCache.txt");  // a build folder, not an installation
    throw InputError("gsu exec",
                     built ? fmt::format("the stand-in of the CUDA libraries is not built yet: "
                                         "cmake --build {} --target gsu_cuda",
                                         self.string())
                           : "this installation has no stand-in of the CUDA libraries: build the "
                             "target gsu_cuda and install again");
}

/// A folder that has the stand-in under all names. A wheel holds the file under one name only, because a wheel has no links.
fs::path namedFolder(const fs::path& standIn, const TemporaryFolder& temporary)
{
    const auto there = [&](const char* name) { return fs::exists(standIn / name); };
    if (std::all_of(kNames.begin(), kNames.end(), there)) return standIn;
    const fs::path folder = temporary.path() / "cuda";
    fs::create_directory(folder);
    for (const char* name : kNames) fs::create_symlink(standIn / kStandIn, folder / name);
    return folder;
}

/// Settings with absolute paths, because the program may change its working folder.
ExecSettings withWholePaths(ExecSettings settings)
{
    for (std::string* name :
         {&settings.common.fst, &settings.common.record, &settings.common.timeline,
          &settings.common.ignoreFile, &settings.common.sarif, &settings.save}) {
        if (!name->empty()) *name = fs::absolute(*name).string();
    }
    return settings;
}

/// Sums over the launches of all processes.
struct Summary {
    explicit Summary(const ExecSettings& settings) : ignored(settings.common.suppressions()) {}

    Json launches = Json::array(), findings = Json::array(), leaks = Json::array();
    Json hangs = Json::array();
    IgnoredCounts ignored;
    std::map<std::string, unsigned> verdicts;
    std::map<std::string, unsigned> kernels;
    std::uint64_t cycles{}, instructions{}, requests{};
    bool failed{}, ownError{};

    void add(Json record)
    {
        if (record.contains("leak")) {
            leaks.push_back(std::move(record));
            return;
        }
        const std::string verdict = record.value("verdict", "");
        ++verdicts[verdict];
        ++kernels[record.value("name", "")];
        cycles += record.value("cycles", std::uint64_t{});
        instructions += record.value("instructions", std::uint64_t{});
        requests += record.value("sync_requests", std::uint64_t{});
        failed = failed || verdict != "pass";
        ownError = ownError || verdict == "divergence";
        for (Json finding : record.value("findings", Json::array())) {
            finding["launch"] = record["launch"];
            finding["kernel"] = record["name"];
            findings.push_back(std::move(finding));
        }
        if (record.contains("ignored_counts"))
            ignored.add(record["ignored_counts"].get<std::vector<std::uint64_t>>());
        record.erase("ignored_counts");
        if (record.contains("hang")) hangs.push_back(record["hang"]);
        launches.push_back(std::move(record));
    }
    [[nodiscard]] std::string text() const
    {
        std::string ways;
        for (const auto& [verdict, count] : verdicts)
            ways += fmt::format("{}{} {}", ways.empty() ? "" : ", ", count, verdict);
        return fmt::format("{} of {}{}: {}, {}, {}", counted(launches.size(), "launch", "launches"),
                           counted(kernels.size(), "kernel"), ways.empty() ? "" : " (" + ways + ")",
                           counted(cycles, "cycle"), counted(instructions, "instruction"),
                           counted(requests, "sync request"));
    }
};

Summary readRecords(const fs::path& file, const ExecSettings& settings)
{
    Summary summary(settings);
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        // A killed process may have left half a line.
        Json record = Json::parse(line, nullptr, false);
        if (record.is_object()) summary.add(std::move(record));
    }
    return summary;
}

/// Findings for people. A warning that a kernel repeats appears once per kernel: "launches" counts its launches.
Json shownOnce(const Json& findings)
{
    Json shown = Json::array();
    std::map<std::string, std::size_t> first;
    for (const Json& f : findings) {
        const std::string key =
            fmt::format("{}|{}|{}|{}", f["kernel"].get<std::string>(), f["rule"].get<std::string>(),
                        f["file"].dump(), f["line"].get<std::uint32_t>());
        const auto [at, fresh] = first.try_emplace(key, shown.size());
        if (f["severity"] != "warning" || fresh) {
            at->second = shown.size();
            shown.push_back(f);
            shown.back()["launches"] = 1;
            continue;
        }
        Json& known = shown[at->second];
        known["launches"] = known["launches"].get<unsigned>() + 1;
        known["count"] = known["count"].get<std::uint64_t>() + f["count"].get<std::uint64_t>();
    }
    return shown;
}

std::string textOf(const Json& f)
{
    const auto times = f["count"].get<std::uint64_t>();
    const auto launches = f["launches"].get<unsigned>();
    return fmt::format("gsu: launch {} {}: {}:{}: {} {}: {} (CTA {} warp {}{}{})\n",
                       f["launch"].get<std::uint64_t>(), f["kernel"].get<std::string>(),
                       f["file"].get<std::string>(), f["line"].get<std::uint32_t>(),
                       f["severity"].get<std::string>(), f["rule"].get<std::string>(),
                       f["message"].get<std::string>(), f["cta"].get<std::uint32_t>(),
                       f["warp"].get<std::uint32_t>(),
                       times == 1 ? "" : fmt::format(", {} times", times),
                       launches == 1 ? "" : fmt::format(", in {} launches", launches));
}

void tell(const Summary& s, const ProcessEnd& end)
{
    constexpr std::size_t kShown = 20;
    std::string text;
    if (end.signal != 0)
        text += fmt::format("gsu: the program was ended by signal {} ({})\n", end.signal,
                            ::strsignal(end.signal));
    text += "gsu: " + s.text() + '\n';
    if (s.launches.empty() && end.signal == 0)
        text += "gsu: no launch was seen: a kernel is only seen if the program and its libraries "
                "are linked with nvcc -cudart shared, or call the driver API\n";
    const Json shown = shownOnce(s.findings);
    for (std::size_t i = 0; i < std::min(shown.size(), kShown); ++i) text += textOf(shown[i]);
    if (shown.size() > kShown)
        text += fmt::format("gsu: ... and {}\n", counted(shown.size() - kShown, "more finding"));
    std::istringstream ignored(s.ignored.text());
    for (std::string line; std::getline(ignored, line);) text += "gsu: " + line + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

/// Removes the file that a program was writing when it was killed.
void removePartial(const ExecSettings& settings, const ProcessEnd& end)
{
    const std::string mark = fmt::format(".{}.partial", end.pid);
    std::error_code error;
    std::vector<fs::path> parts;
    for (const fs::path file :
         {settings.common.fst, settings.common.record, settings.common.timeline, settings.save}) {
        if (file.empty()) continue;
        const fs::path folder = file == settings.save ? file : file.parent_path();
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
            if (entry.path().filename().string().find(mark) != std::string::npos)
                parts.push_back(entry.path());
        }
    }
    for (const fs::path& part : parts) fs::remove(part, error);
}

int exitCode(const Summary& s, const ProcessEnd& end)
{
    if (end.signal != 0) return 128 + end.signal;
    if (s.ownError) return kOwnError;
    if (end.code != 0) return end.code;
    return s.failed ? kNotAsExpected : kAsExpected;
}

}  // namespace

int exec(const ExecCall& call)
{
    call.settings.check();
    const fs::path program = findProgram(call.command.front());
    if (const std::string reason = staticRuntime(program); !reason.empty())
        throw InputError(program.string(), reason);
    makeOutputFolder("--save", call.settings.save);
    const fs::path standIn = standInFolder();
    const TemporaryFolder folder;
    const fs::path libraries = namedFolder(standIn, folder);
    const fs::path records = folder.path() / kExecRecords;
    std::ofstream(records).close();
    const char* before = std::getenv("LD_LIBRARY_PATH");
    const std::string path =
        libraries.string() + (before != nullptr && *before != 0 ? ':' + std::string(before) : "");
    ExecSettings settings = withWholePaths(call.settings);
    settings.common.chooseTiming(fmt::format("sm_{}", settings.sm), {});
    const ProcessEnd end = runProcess(program, call.command,
                                      {{"LD_LIBRARY_PATH", path},
                                       {kExecSettings, settings.text()},
                                       {kExecFolder, folder.path().string()}},
                                      settings.common.json);
    removePartial(settings, end);
    const Summary summary = readRecords(records, settings);
    const int code = exitCode(summary, end);
    if (!settings.common.sarif.empty())
        writeSarif(settings.common.sarif, summary.findings, summary.hangs);
    if (!settings.common.json) {
        if (!settings.quiet || summary.failed || end.signal != 0) tell(summary, end);
        return code;
    }
    Json out{{"program", call.command.front()}, {"exit_code", end.code}};
    if (end.signal != 0) out["signal"] = end.signal;
    out["cycles"] = summary.cycles;
    out["instructions"] = summary.instructions;
    out["sync_requests"] = summary.requests;
    out["findings"] = summary.findings;
    summary.ignored.addTo(out);
    out["leaks"] = summary.leaks;
    out["launches"] = summary.launches;
    print(out.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
    return code;
}

}  // namespace gsu::cli
