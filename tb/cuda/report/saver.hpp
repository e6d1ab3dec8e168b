/// `gsu exec --save DIR`: every launch as a launch file with all memory it may touch, and what it left there, so that `gsu run` repeats it without the
/// program, and all of them as launch lists. Equal contents are in one file.
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
    /// An empty name: nothing is saved.
    explicit Saver(std::filesystem::path folder) : folder_(std::move(folder)) {}
    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }
    /// Before the launch: contents of memory. Throws InputError when a file cannot be written.
    void before(std::uint64_t number, const LaunchCall& call, const LaunchSpec& spec,
                const Heap& heap);
    /// After it: what has changed, and how it ended. The launch file appears.
    void after(const RunResult& result);
    /// Writes the list so far. It is complete when the program ends, and misses its last launches when that is killed.
    void writeList() const;

private:
    [[nodiscard]] std::string contentsFile(std::string_view bytes, const char* ending) const;
    void addMemory(nlohmann::ordered_json& json, const LaunchCall& call, const Heap& heap);
    void addVariables(nlohmann::ordered_json& json, CodeModule& module);
    [[nodiscard]] nlohmann::ordered_json ptxOf(const CodeModule& module);

    std::filesystem::path folder_;
    std::filesystem::path file_;
    std::string text_;  ///< of the launch file, so far
    std::vector<SavedPiece> pieces_;
    SavedList list_;
    std::uint64_t recycled_{};  ///< Heap::recycled() at the last launch
};

}  // namespace gsu::cuda
