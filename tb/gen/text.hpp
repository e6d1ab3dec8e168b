/// Texts of PTX and launch files; private to tb/gen.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gsu::gen {

/// A value for `$NAME`.
struct Filling {
    Filling(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}
    Filling(std::string n, const char* t) : name(std::move(n)), text(t) {}
    Filling(std::string n, std::int64_t number) : name(std::move(n)), text(std::to_string(number))
    {
    }
    std::string name, text;
};
/// The text with every `$NAME` replaced.
[[nodiscard]] std::string fill(std::string text, std::vector<Filling> fillings);
/// The directive of a cluster in a row; nothing for one CTA.
[[nodiscard]] std::string clusterOf(std::int64_t ctas);
/// [1, 2, 3]
[[nodiscard]] std::string listOf(const std::vector<std::uint32_t>& values);
/// A buffer of words as a parameter; `from`: its values count up from there, else zeros.
[[nodiscard]] std::string bufferOf(std::int64_t words, std::int64_t from = -1);

struct Shape {
    std::string name;
    std::int64_t grid{}, block{}, cluster{};
};
/// A launch file that expects these words of parameter `result` after the run.
[[nodiscard]] std::string launchOf(const Shape& shape, const std::vector<std::string>& params,
                                   std::size_t result, const std::vector<std::uint32_t>& words);
/// A launch file that expects a hang on an mbarrier.
[[nodiscard]] std::string hangOf(const Shape& shape, const std::vector<std::string>& params);

}  // namespace gsu::gen
