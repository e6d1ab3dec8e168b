/// Models of structures other than the built-in one: libraries that `gsu build` has made and that the program loads. They are stored in a
/// cache, by their structure and by a digest of the files they were built from.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "golden/structure.hpp"

namespace gsu {

struct RtlModels;

/// The Verilated classes of a library file; loaded until the process ends.
class RtlModel {
public:
    /// Loads a model. Throws InputError if there is no such file, or it is no model, or another build of GSU made it.
    [[nodiscard]] static std::shared_ptr<const RtlModel> load(const std::filesystem::path& file);

    [[nodiscard]] const RtlModels& models() const noexcept { return models_; }
    [[nodiscard]] const Structure& structure() const noexcept;
    /// True if the file has the models that check assertions and dump waves (gsu build --full).
    [[nodiscard]] bool full() const noexcept;

private:
    explicit RtlModel(const RtlModels& models) : models_(models) {}
    const RtlModels& models_;
};

/// The digest of a model that works with this program: 16 hexadecimal digits, and the tools in words.
[[nodiscard]] const char* modelDigest() noexcept;
[[nodiscard]] const char* modelTools() noexcept;
/// The folder of the cache: GSU_CACHE, else gsu in XDG_CACHE_HOME or ~/.cache. Throws InputError if none of these is set.
[[nodiscard]] std::filesystem::path cacheFolder();
/// The file of a structure's model for this program. Pre: not the default structure.
[[nodiscard]] std::filesystem::path modelFile(const Structure& structure);

/// The model that a user asks for: --with NAME=VALUE,... or --model NAME|FILE|FOLDER; both empty: the built-in one.
struct ModelChoice {
    std::string with, model;
    /// The structure of the model. A name is looked up, a file is loaded. Throws InputError.
    [[nodiscard]] Structure structure() const;
    /// Loads the model; nullptr: the built-in one. Throws InputError, which says how to build it.
    [[nodiscard]] std::shared_ptr<const RtlModel> load() const;
};

}  // namespace gsu
