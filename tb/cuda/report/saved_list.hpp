/// The launches of a program as one launch list, or as several: a new list begins with a launch of another module, and after a launch that
/// did not pass. Writes of the program between launches are under "writes".
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gsu::cuda {

/// Memory at an address of a launch file.
struct SavedPiece {
    std::string name;  ///< name of memory, or of a variable of the module
    bool variable{};
    const std::uint8_t* data{};
    std::string before;  ///< its contents before the launch
    std::string file;    ///< file with these bytes
};

class SavedList {
public:
    /// Adds a launch. `launch`: the contents of its own file before it runs.
    void begin(std::uint64_t number, const void* module, const nlohmann::ordered_json& launch,
               const std::vector<SavedPiece>& pieces);
    /// Completes the launch. `launch`: the same with verdict and expectations.
    void end(const nlohmann::ordered_json& launch);
    /// Whether begin() for a launch of `module` begins another list.
    [[nodiscard]] bool endsBefore(const void* module) const;

    /// The next launch begins another list: the meaning of addresses has changed.
    void close() noexcept { over_ = true; }

    /// Name of the file; empty: there is no launch.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string text() const { return list_.dump(1) + '\n'; }
    [[nodiscard]] std::size_t launches() const;

private:
    std::uint64_t first_{};
    const void* module_{};
    bool over_{true};
    nlohmann::ordered_json list_, writes_;
    std::map<std::string, std::string> known_;  ///< file with the present contents of each piece
};

}  // namespace gsu::cuda
