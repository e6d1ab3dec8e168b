// A launch file as a whole: one launch, or a list of launches that share memory.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "base/input_error.hpp"
#include "base/read_file.hpp"
#include "exec/launch/chips.hpp"
#include "exec/launch/launch_reading.hpp"
#include "exec/timing/timing_params.hpp"
#include "golden/chip_layout.hpp"

namespace gsu {
namespace {

constexpr std::uint64_t kMaxLaunchFile = 64ull << 20;
constexpr std::uint32_t kMaxSmem = 227 * 1024;
constexpr std::size_t kMaxLaunches = 4096;

std::array<std::uint32_t, 3> shapeOf(const JsonView& json, std::array<std::uint32_t, 3> limits,
                                     std::uint64_t total)
{
    json.array();
    if (json.size() == 0 || json.size() > 3) json.fail("expected [x, y, z]");
    std::array<std::uint32_t, 3> shape{1, 1, 1};
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < json.size(); ++i) {
        shape[i] = static_cast<std::uint32_t>(json.at(i).whole(limits[i], 1));
        product *= shape[i];
        if (product > total) json.fail(fmt::format("the product is above {}", total));
    }
    return shape;
}

/// Reads the keys that a launch of a list takes from the file if it does not have them itself.
void shapesOf(LaunchSpec& spec, const JsonView& root)
{
    if (root.has("entry")) spec.entry = root["entry"].text();
    if (root.has("grid")) {
        spec.grid = shapeOf(root["grid"], {0x7fffffff, 65535, 65535}, 1ull << 31);
    }
    if (root.has("block")) spec.block = shapeOf(root["block"], {1024, 1024, 64}, 1024);
    if (root.has("cluster")) spec.cluster = shapeOf(root["cluster"], {16, 16, 16}, 16);
    if (root.has("dynamic_smem")) {
        spec.dynamicSmem = static_cast<std::uint32_t>(root["dynamic_smem"].whole(kMaxSmem));
    }
    if (root.has("cooperative")) spec.cooperative = root["cooperative"].boolean();
    if (root.has("registers")) {
        spec.registers = static_cast<unsigned>(root["registers"].whole(255, 1));
    }
    if (root.has("sms")) {
        spec.sms = static_cast<unsigned>(root["sms"].whole(kMaxChipSms, 1));
    }
}

/// Reads the timing, and the number of SMs of which the simulated ones are a part.
void timingOf(LaunchSpec& spec, const JsonView& root)
{
    using timing::Target;
    if (root.has("timing")) {
        spec.timing = root["timing"].text();
        if (spec.timing != "simple" && spec.timing != timing::nameOf(Target::Hopper) &&
            spec.timing != timing::nameOf(Target::Blackwell))
            root["timing"].fail("expected simple, hopper or blackwell");
    }
    if (!root.has("of")) return;
    spec.of = static_cast<unsigned>(root["of"].whole(1024, 1));
}

/// The SMs of a whole chip, by its name.
void chipOf(LaunchSpec& spec, const JsonView& root)
{
    if (!root.has("chip")) return;
    spec.chip = root["chip"].text();
    const ChipModel* chip = gsu::chipOf(spec.chip);
    if (chip == nullptr) root["chip"].fail("expected one of " + chipNames());
    for (const char* key : {"sms", "of"}) {
        if (root.has(key))
            root[key].fail("goes without \"chip\", which says how many SMs there are");
    }
    spec.sms = chip->sms;
}

void memoryOf(LaunchSpec& spec, const JsonView& root, Reading& reading)
{
    if (!root.has("memory")) return;
    const JsonView memory = root["memory"];
    if (!memory.json().is_object()) memory.fail("expected an object");
    for (const auto& item : memory.json().items()) {
        const JsonView json = memory[item.key()];
        if (item.key().empty()) json.fail("a name must not be empty");
        json.keys({"type", "count", "init", "address", "patch"});
        LaunchMemory m{item.key(), arrayOf(json, reading), {}, {}};
        if (json.has("address")) m.address = addressOf(json["address"], false);
        if (json.has("patch")) m.patches = patchesOf(json["patch"], m.data.bytes.size());
        spec.memory.push_back(std::move(m));
    }
}

LaunchGlobal globalOf(const std::string& name, const JsonView& json, Reading& reading)
{
    json.keys({"type", "count", "init", "address"});
    LaunchGlobal global{name, {}, {}, json.has("type")};
    if (json.has("address")) global.address = addressOf(json["address"], true);
    // As in the module: its value is not overwritten.
    const bool module = json.has("init") ? json["init"].json() == "module"
                                         : !json.has("type") && !json.has("count");
    if (module) {
        if (json.has("count")) json["count"].fail("does not go with what the module says");
        if (global.typed) global.data.type = typeOf(json["type"]);
        return global;
    }
    const bool declared = json.has("type") && json.has("count");
    global.data = arrayOf(json, reading, declared ? nullptr : &reading.variable(name, json));
    global.typed = true;
    return global;
}

void globalsOf(LaunchSpec& spec, const JsonView& root, Reading& reading)
{
    if (!root.has("globals")) return;
    const JsonView globals = root["globals"];
    if (!globals.json().is_object()) globals.fail("expected an object");
    for (const auto& item : globals.json().items())
        spec.globals.push_back(globalOf(item.key(), globals[item.key()], reading));
}

void single(LaunchSpec& spec, const JsonView& root, Reading& reading)
{
    if (root.has("params")) paramsOf(spec, root["params"], reading);
    memoryOf(spec, root, reading);
    multimemOf(spec, root);
    globalsOf(spec, root, reading);
    if (root.has("expect")) spec.expect = expectationsOf(spec, spec, root["expect"], reading);
    verdictOf(spec, root);
}

LaunchSpec launchOf(const LaunchSpec& common, const JsonView& json, Reading& reading)
{
    json.keys({"entry", "grid", "block", "cluster", "dynamic_smem", "cooperative", "sms",
               "registers", "params", "expect", "verdict", "findings", "stream", "dependent",
               "writes"});
    LaunchSpec spec;
    spec.file = common.file;
    spec.ptx = common.ptx;
    spec.linked = common.linked;
    spec.text = common.text;
    spec.place = json.pointer();
    spec.entry = common.entry;
    spec.grid = common.grid;
    spec.block = common.block;
    spec.cluster = common.cluster;
    spec.dynamicSmem = common.dynamicSmem;
    spec.cooperative = common.cooperative;
    spec.sms = common.sms;
    spec.registers = common.registers;
    shapesOf(spec, json);
    if (json.has("stream")) spec.stream = static_cast<std::uint32_t>(json["stream"].whole(~0u));
    if (json.has("dependent")) spec.dependent = json["dependent"].boolean();
    if (json.has("params")) paramsOf(spec, json["params"], reading);
    if (json.has("expect")) spec.expect = expectationsOf(spec, common, json["expect"], reading);
    if (json.has("writes")) {
        spec.writes = expectationsOf(spec, common, json["writes"], reading);
        for (std::size_t i = 0; i < spec.writes.size(); ++i) {
            const JsonView one = json["writes"].at(i);
            for (const char* key : {"param", "rtol", "atol", "first"}) {
                if (one.has(key)) one[key].fail("belongs to what is expected");
            }
        }
    }
    verdictOf(spec, json);
    return spec;
}

/// A launch that hangs or traps ends the list: only launches that wait for it may follow.
void checkEnds(const LaunchFile& file, const JsonView& launches)
{
    for (std::size_t i = 0; i < file.launches.size(); ++i) {
        const LaunchSpec& launch = file.launches[i];
        if (launch.verdict != ExpectedVerdict::Hang && launch.verdict != ExpectedVerdict::Trap)
            continue;
        const auto waits = [&](const LaunchSpec& other) {
            return other.dependent && other.stream == launch.stream;
        };
        if (!std::all_of(file.launches.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         file.launches.end(), waits))
            launches.at(i)["verdict"].fail("only the last launch of a list can expect it, or one "
                                           "before dependent launches of its "
                                           "stream: it ends all");
    }
}

void list(LaunchFile& file, const JsonView& root, Reading& reading)
{
    LaunchSpec& common = file.common;
    for (const char* key : {"params", "verdict", "findings"}) {
        if (root.has(key)) root[key].fail("belongs to one of the launches");
    }
    memoryOf(common, root, reading);
    multimemOf(common, root);
    globalsOf(common, root, reading);
    const JsonView launches = root["launches"];
    launches.array();
    if (launches.size() == 0 || launches.size() > kMaxLaunches)
        launches.fail(fmt::format("expected 1 to {} launches", kMaxLaunches));
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const JsonView json = launches.at(i);
        file.launches.push_back(launchOf(common, json, reading));
        const LaunchSpec& launch = file.launches.back();
        const auto before = [&](const LaunchSpec& other) {
            return &other != &launch && other.stream == launch.stream;
        };
        if (launch.dependent && std::none_of(file.launches.begin(), file.launches.end(), before))
            json["dependent"].fail("is the first launch of its stream");
        common.cooperative = common.cooperative || launch.cooperative;
    }
    checkEnds(file, launches);
    if (root.has("expect")) common.expect = expectationsOf(common, common, root["expect"], reading);
}

/// Reads the modules under "ptx" of a launch file, once.
ModuleSource ownModules()
{
    const auto module = std::make_shared<std::optional<ptx::Module>>();
    return [module](const LaunchSpec& spec) -> const ptx::Module& {
        if (!*module) *module = loadModule(spec);
        return **module;
    };
}

}  // namespace

void LaunchSpec::fail(const std::string& pointer, const std::string& reason) const
{
    const std::string at = place + pointer;
    if (text != nullptr) text->fail(at, reason);
    throw InputError(file.string(), (at.empty() ? "" : shownPointer(at) + ": ") + reason);
}

LaunchFile parseLaunchFile(std::shared_ptr<const JsonText> text, const ModuleSource& modules,
                           std::uint64_t maxBytes)
{
    LaunchFile file;
    LaunchSpec& spec = file.common;
    spec.file = text->file();
    spec.text = std::move(text);
    const nlohmann::json json = spec.text->parse();
    const JsonView root(json, *spec.text);
    root.keys({"ptx",          "entry",       "grid",    "block",     "cluster",
               "dynamic_smem", "cooperative", "sms",     "registers", "params",
               "memory",       "multimem",    "globals", "expect",    "verdict",
               "findings",     "launches",    "timing",  "of",        "chip"});
    modulesOf(spec, root["ptx"]);
    timingOf(spec, root);
    shapesOf(spec, root);
    chipOf(spec, root);
    Reading reading{maxBytes, spec.files, spec, modules ? modules : ownModules()};
    if (root.has("launches")) {
        list(file, root, reading);
    } else {
        single(spec, root, reading);
    }
    return file;
}

LaunchFile loadLaunchFile(const std::filesystem::path& file, const ModuleSource& modules)
{
    return parseLaunchFile(std::make_shared<JsonText>(readFile(file, kMaxLaunchFile), file),
                           modules);
}

LaunchSpec loadLaunch(const std::filesystem::path& file)
{
    return parseLaunch(readFile(file, kMaxLaunchFile), file);
}

LaunchSpec parseLaunch(const std::string& text, const std::filesystem::path& file,
                       std::uint64_t maxBytes)
{
    LaunchFile all = parseLaunchFile(std::make_shared<JsonText>(text, file), {}, maxBytes);
    if (!all.launches.empty())
        all.common.fail("/launches", "one launch is expected here, not a list");
    return std::move(all.common);
}

std::vector<std::size_t> orderOf(const std::vector<LaunchSpec>& launches, std::uint64_t seed)
{
    std::map<std::uint32_t, std::deque<std::size_t>> streams;
    for (std::size_t i = 0; i < launches.size(); ++i) streams[launches[i].stream].push_back(i);
    std::vector<std::size_t> order;
    std::uint64_t state = seed;
    while (!streams.empty()) {
        // Knuth's multiplier; the upper bits choose.
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        auto chosen =
            std::next(streams.begin(), static_cast<std::ptrdiff_t>((state >> 33) % streams.size()));
        const auto ends = [&](std::size_t i) {
            return launches[i].verdict == ExpectedVerdict::Hang ||
                   launches[i].verdict == ExpectedVerdict::Trap;
        };
        if (streams.size() > 1 && ends(chosen->second.front())) continue;  // comes after all
        order.push_back(chosen->second.front());
        chosen->second.pop_front();
        if (chosen->second.empty()) streams.erase(chosen);
    }
    return order;
}

}  // namespace gsu
