#include "cuda/report/saver.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/hash.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cuda/device/message.hpp"
#include "exec/device/device_memory.hpp"

namespace gsu::cuda {
namespace {

using Json = nlohmann::ordered_json;

/// Limits of the memory that launch files may place.
constexpr std::uint64_t kStep = 256, kEnd = exec::kGlobalBase + (1ull << 40);

std::string hexOf(const std::vector<std::uint8_t>& bytes)
{
    std::string text;
    for (const std::uint8_t b : bytes) text += fmt::format("{:02x}", b);
    return text;
}

std::string addressText(std::uint64_t address) { return fmt::format("{:#x}", address); }

std::string_view viewOf(const std::uint8_t* data, std::uint64_t bytes)
{
    return {reinterpret_cast<const char*>(data), bytes};
}

Json bufferOf(std::uint64_t bytes, const std::string& file)
{
    return {{"type", "b8"}, {"count", bytes}, {"init", {{"file", file}}}};
}

const char* verdictText(const RunResult& r)
{
    if (!r.trap.empty()) return r.verdict == Verdict::Misuse ? "misuse" : "trap";
    if (r.hang && r.verdict == Verdict::Hang) return "hang";
    return r.verdict == Verdict::Misuse ? "misuse" : "pass";
}

}  // namespace

/// The file of this folder with these bytes: an existing one, or a new one.
std::string Saver::contentsFile(std::string_view bytes, const char* ending) const
{
    const std::uint64_t hash = fnv1a(bytes);
    for (unsigned n = 0;; ++n) {
        const std::string name =
            fmt::format("{:016x}{}{}", hash, n == 0 ? "" : fmt::format("_{}", n), ending);
        const std::filesystem::path path = folder_ / name;
        std::ifstream in(path, std::ios::binary);
        if (!in) {
            AtomicFile file(path.string());
            file.write(bytes);
            file.commit();
            return name;
        }
        const std::string there{std::istreambuf_iterator<char>(in), {}};
        if (there == bytes) return name;
    }
}

Json Saver::ptxOf(const CodeModule& module)
{
    Json names = Json::array();
    for (const std::string& text : module.texts()) names.push_back(contentsFile(text, ".ptx"));
    return names.size() == 1 ? names[0] : names;
}

void Saver::addVariables(Json& json, CodeModule& module)
{
    exec::DeviceMemory& memory = module.device().memory();
    for (const ptx::Variable& v : module.code().variables) {
        const auto place = module.variable(v.name);
        if (!place || place->bytes == 0) continue;
        const std::string_view bytes = viewOf(place->data, place->bytes);
        const std::string file = contentsFile(bytes, ".bin");
        Json one = bufferOf(place->bytes, file);
        const auto constant = memory.constSymbols.find(v.name);
        if (constant != memory.constSymbols.end())
            one["address"] = constant->second;
        else
            one["address"] = addressText(place->address);
        json["globals"][v.name] = std::move(one);
        pieces_.push_back({v.name, true, place->data, std::string(bytes), file});
    }
}

void Saver::addMemory(Json& json, const LaunchCall& call, const Heap& heap)
{
    for (const auto& [address, a] : heap.all()) {
        // Variables of this module have names; those of other modules are plain memory.
        const bool variable =
            a.kind == Allocation::Kind::Variable || a.site.starts_with("managed variable");
        if (variable && call.kernel->module->owns(address)) continue;
        if (a.bytes == 0 || address < exec::kGlobalBase || address % kStep != 0) continue;
        if (address + a.bytes > kEnd) continue;
        const std::string_view bytes = viewOf(a.data, a.bytes);
        const std::string name = fmt::format("m{:x}", address - exec::kGlobalBase);
        const std::string file = contentsFile(bytes, ".bin");
        Json one = bufferOf(a.bytes, file);
        one["address"] = addressText(address);
        json["memory"][name] = std::move(one);
        pieces_.push_back({name, false, a.data, std::string(bytes), file});
    }
}

void Saver::before(std::uint64_t number, const LaunchCall& call, const LaunchSpec& spec,
                   const Heap& heap)
{
    if (!wanted()) return;
    makeOutputFolder("--save", folder_.string());
    pieces_.clear();
    Json json{{"ptx", ptxOf(*call.kernel->module)},
              {"entry", spec.entry},
              {"grid", spec.grid},
              {"block", spec.block}};
    if (spec.cluster) json["cluster"] = *spec.cluster;
    json["dynamic_smem"] = spec.dynamicSmem;
    json["cooperative"] = spec.cooperative;
    if (spec.sms) json["sms"] = *spec.sms;
    json["params"] = {{"bytes", {{"hex", hexOf(call.parameters)}}}};
    if (call.parameters.empty()) json["params"] = Json::array();
    addMemory(json, call, heap);
    addVariables(json, *call.kernel->module);
    std::string name = plainName(call.kernel->readable);
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    file_ = folder_ / fmt::format("{:05}_{}.launch.json", number, name);
    text_ = json.dump();
    const CodeModule* module = call.kernel->module.get();
    if (std::exchange(recycled_, heap.recycled()) != heap.recycled()) list_.close();
    if (list_.endsBefore(module)) writeList();
    list_.begin(number, module, json, pieces_);
}

void Saver::after(const RunResult& result)
{
    if (!wanted()) return;
    Json json = Json::parse(text_);
    const std::string verdict = verdictText(result);
    json["verdict"] = verdict;
    Json expect = Json::array();
    for (const SavedPiece& p : pieces_) {
        if (verdict != "pass") break;
        const std::string_view now = viewOf(p.data, p.before.size());
        if (now == p.before) continue;
        expect.push_back(
            {{p.variable ? "global" : "memory", p.name}, {"file", contentsFile(now, ".bin")}});
    }
    json["expect"] = std::move(expect);
    AtomicFile file(file_.string());
    file.write(json.dump(1) + '\n');
    file.commit();
    list_.end(json);
    // Writing the whole list each time would take quadratic time.
    constexpr std::size_t kOften = 16;
    if (list_.launches() <= kOften || list_.launches() % kOften == 0) writeList();
}

void Saver::writeList() const
{
    if (list_.name().empty()) return;
    AtomicFile file((folder_ / list_.name()).string());
    file.write(list_.text());
    file.commit();
}

}  // namespace gsu::cuda
