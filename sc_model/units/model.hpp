/// Models of other structures than the built-in one: libraries that `gsu build` has made and that are loaded into the program. They lie in a cache, by their
/// structure and by a digest of what they were built from.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "golden/structure.hpp"

namespace gsu {

struct RtlModels;

/// Verilated classes in a file, for as long as the process lives.
class RtlModel {
public:
    /// Throws InputError: no such file, no model, or one that another build of GSU made.
    [[nodiscard]] static std::shared_ptr<const RtlModel> load(const std::filesystem::path& file);

    [[nodiscard]] const RtlModels& models() const noexcept { return models_; }
    [[nodiscard]] const Structure& structure() const noexcept;
    /// Models that check assertions and dump waves are in it (gsu build --full).
    [[nodiscard]] bool full() const noexcept;

private:
    explicit RtlModel(const RtlModels& models) : models_(models) {}
    const RtlModels& models_;
};

/// What a model must have been built from to work with this program: 16 hexadecimal digits, and the tools in words.
[[nodiscard]] const char* modelDigest() noexcept;
[[nodiscard]] const char* modelTools() noexcept;
/// GSU_CACHE, else gsu in XDG_CACHE_HOME or ~/.cache. Throws InputError where none of these is set.
[[nodiscard]] std::filesystem::path cacheFolder();
/// Where the model of a structure lies once it is built, for this program. Pre: not the default structure.
[[nodiscard]] std::filesystem::path modelFile(const Structure& structure);

/// What somebody asks for: --with NAME=VALUE,... or --model NAME|FILE|FOLDER; both empty: what is built in.
struct ModelChoice {
    std::string with, model;
    /// Its structure. A name is looked up, a file is loaded. Throws InputError.
    [[nodiscard]] Structure structure() const;
    /// Loads it; nullptr: the built-in one is meant. Throws InputError, which says how to build it.
    [[nodiscard]] std::shared_ptr<const RtlModel> load() const;
};

}  // namespace gsu
