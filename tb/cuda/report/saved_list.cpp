#include "cuda/report/saved_list.hpp"

#include <fmt/format.h>

namespace gsu::cuda {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kMostLaunches = 4096;

const char* kindOf(const SavedPiece& piece) { return piece.variable ? "global" : "memory"; }

}  // namespace

std::size_t SavedList::launches() const
{
    return list_.contains("launches") ? list_["launches"].size() : 0;
}

bool SavedList::endsBefore(const void* module) const
{
    return over_ || module != module_ || launches() == kMostLaunches;
}

std::string SavedList::name() const
{
    return launches() == 0 ? "" : fmt::format("list_{:05}.launch.json", first_);
}

void SavedList::begin(std::uint64_t number, const void* module, const Json& launch,
                      const std::vector<SavedPiece>& pieces)
{
    if (endsBefore(module)) {
        first_ = number;
        module_ = module;
        over_ = false;
        known_.clear();
        list_ = {{"ptx", launch["ptx"]},
                 {"memory", Json::object()},
                 {"globals", Json::object()},
                 {"launches", Json::array()}};
    }
    writes_ = Json::array();
    for (const SavedPiece& p : pieces) {
        const auto [known, fresh] = known_.try_emplace(p.name, p.file);
        if (fresh) {
            const char* where = p.variable ? "globals" : "memory";
            list_[where][p.name] = launch[where][p.name];
        } else if (known->second != p.file) {
            writes_.push_back({{kindOf(p), p.name}, {"file", p.file}});
            known->second = p.file;
        }
    }
}

void SavedList::end(const Json& launch)
{
    Json one = launch;
    for (const char* key : {"ptx", "memory", "globals"}) one.erase(key);
    if (!writes_.empty()) one["writes"] = std::move(writes_);
    for (const Json& e : launch["expect"])
        known_[e.contains("memory") ? e["memory"] : e["global"]] = e["file"];
    over_ = launch["verdict"] != "pass";
    list_["launches"].push_back(std::move(one));
}

}  // namespace gsu::cuda
