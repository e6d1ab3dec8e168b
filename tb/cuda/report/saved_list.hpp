/// The launches of a program as one launch list, or as several where a list cannot go on: launches of another module, or behind one that did not
/// pass. What the program wrote between launches is under "writes".
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gsu::cuda {

/// Memory that a launch file has an address for.
struct SavedPiece {
    std::string name;  ///< of memory, or of a variable of the module
    bool variable{};
    const std::uint8_t* data{};
    std::string before;  ///< what it held before the launch
    std::string file;    ///< that has these bytes
};

class SavedList {
public:
    /// `launch`: what its own file holds before it runs.
    void begin(std::uint64_t number, const void* module, const nlohmann::ordered_json& launch,
               const std::vector<SavedPiece>& pieces);
    /// `launch`: the same with verdict and expectations.
    void end(const nlohmann::ordered_json& launch);
    /// Whether begin() of a launch of `module` begins another list.
    [[nodiscard]] bool endsBefore(const void* module) const;

    /// The next launch begins another list: addresses have got another meaning.
    void close() noexcept { over_ = true; }

    /// Of the file; empty: there is no launch.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::string text() const { return list_.dump(1) + '\n'; }
    [[nodiscard]] std::size_t launches() const;

private:
    std::uint64_t first_{};
    const void* module_{};
    bool over_{true};
    nlohmann::ordered_json list_, writes_;
    std::map<std::string, std::string> known_;  ///< file of what each piece holds
};

}  // namespace gsu::cuda
