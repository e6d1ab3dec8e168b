/// Programs of common synchronization patterns: PTX and a launch file with the expected results. Every reader of launch files can run them;
/// nothing here knows the executor.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gsu::gen {

/// A number within bounds, or one of several words.
struct Option {
    std::string name;
    std::int64_t preset{}, least{}, most{};
    std::string what;
    std::string words{};  ///< "a|b": one of these, the first is the preset
};

/// Values of the options: the caller's, and the presets of the rest.
class Values {
public:
    explicit Values(const std::vector<Option>& options);
    /// Sets an option. Throws InputError naming the option: unknown, not a number, out of bounds, no such word.
    void set(const std::string& name, const std::string& text);
    [[nodiscard]] std::int64_t operator[](std::string_view name) const;
    [[nodiscard]] const std::string& word(std::string_view name) const;
    /// Throws InputError with that reason if options do not fit each other.
    void require(bool fits, const std::string& reason) const;

private:
    struct Value {
        Option option;
        std::int64_t number{};
        std::string word;
    };
    [[nodiscard]] std::size_t at(std::string_view name) const;
    std::vector<Value> values_;
};

struct Program {
    std::string ptx, launch;         ///< texts of NAME.ptx and NAME.launch.json
    std::vector<std::string> notes;  ///< remarks on the program
};

struct Pattern {
    std::string name, what;
    std::vector<Option> options;
    Program (*make)(const Values&);
};
/// All patterns.
[[nodiscard]] const std::vector<Pattern>& patterns();

[[nodiscard]] Pattern allToAllPattern();
[[nodiscard]] Pattern commitRingPattern();
[[nodiscard]] Pattern handshakePattern();
[[nodiscard]] Pattern namedPattern();
[[nodiscard]] Pattern pipelinePattern();
[[nodiscard]] Pattern reducePattern();
[[nodiscard]] Pattern ringPattern();
[[nodiscard]] Pattern stealPattern();

/// The operations that compilers lower a cluster's barrier of that scope to ("CTA", "Cluster", "ClusterAligned"), in order
/// (HS-001..HS-006). Below sm_90 there is PTX for the first scope only (HS-007).
[[nodiscard]] std::vector<std::string> plainBarrier(const std::string& scope, unsigned sm);

}  // namespace gsu::gen
