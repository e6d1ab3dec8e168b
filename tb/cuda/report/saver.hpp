/// `gsu exec --save DIR` writes each launch as a launch file: the memory before it as input, the memory after it as expectation. `gsu run`
/// repeats it without the program. Launch lists repeat the whole run. Equal contents are in one file.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cuda/code/launch.hpp"
#include "cuda/device/heap.hpp"
#include "cuda/report/saved_list.hpp"

namespace gsu::cuda {

class Saver {
public:
    /// A saver into `folder`; with an empty name nothing is saved.
    explicit Saver(std::filesystem::path folder) : folder_(std::move(folder)) {}
    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }
    /// Call before the launch: saves the contents of memory. Throws InputError if a file cannot be written.
    void before(std::uint64_t number, const LaunchCall& call, const LaunchSpec& spec,
                const Heap& heap);
    /// Call after the launch: saves changes and verdict. The launch file appears.
    void after(const RunResult& result);
    /// Writes the list so far. It is complete when the program ends; if the program is killed, the last launches are missing.
    void writeList() const;

private:
    [[nodiscard]] std::string contentsFile(std::string_view bytes, const char* ending) const;
    void addMemory(nlohmann::ordered_json& json, const LaunchCall& call, const Heap& heap);
    void addVariables(nlohmann::ordered_json& json, CodeModule& module);
    [[nodiscard]] nlohmann::ordered_json ptxOf(const CodeModule& module);

    std::filesystem::path folder_;
    std::filesystem::path file_;
    std::string text_;  ///< text of the launch file, so far
    std::vector<SavedPiece> pieces_;
    SavedList list_;
    std::uint64_t recycled_{};  ///< Heap::recycled() at the last launch
};

}  // namespace gsu::cuda
