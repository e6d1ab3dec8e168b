#include "units/model.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>

#include "base/input_error.hpp"
#include "model_digest.hpp"
#include "verilated/system_base.hpp"

namespace gsu {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "model.so";

fs::path nameFile(const std::string& name) { return cacheFolder() / "names" / name; }

bool isPath(const std::string& text) { return text.find('/') != std::string::npos; }

/// The structure text of a model that `gsu build --name` has stored.
std::string withOf(const std::string& name)
{
    std::ifstream file(nameFile(name));
    std::string text;
    if (name.empty() || name[0] == '.' || !std::getline(file, text))
        throw InputError("--model",
                         "no model is called '" + name +
                             "' (gsu build --list; gsu build --name NAME --with ... makes one; a "
                             "file or folder has a / in its name)");
    return text;
}

Structure parsed(const std::string& option, const std::string& text)
{
    Structure structure;
    const std::string problem = setStructure(structure, text);
    if (!problem.empty()) throw InputError(option, problem);
    return structure;
}

fs::path fileOf(const std::string& path)
{
    std::error_code error;
    return fs::is_directory(path, error) ? fs::path(path) / kFile : fs::path(path);
}

}  // namespace

const char* modelDigest() noexcept { return GSU_MODEL_DIGEST; }
const char* modelTools() noexcept { return GSU_MODEL_TOOLS; }

fs::path cacheFolder()
{
    const auto value = [](const char* name) {
        const char* text = std::getenv(name);
        return fs::path(text == nullptr ? "" : text);
    };
    if (const fs::path own = value("GSU_CACHE"); !own.empty()) return own;
    if (const fs::path shared = value("XDG_CACHE_HOME"); !shared.empty()) return shared / "gsu";
    if (const fs::path home = value("HOME"); !home.empty()) return home / ".cache" / "gsu";
    throw InputError("GSU_CACHE", "is not set, and neither is HOME: no folder for models");
}

fs::path modelFile(const Structure& structure)
{
    return cacheFolder() / "models" / GSU_MODEL_DIGEST / textOf(structure) / kFile;
}

std::shared_ptr<const RtlModel> RtlModel::load(const fs::path& file)
{
    std::error_code error;
    if (!fs::is_regular_file(file, error)) throw InputError(file.string(), "no such model");
    // Never unloaded: its run-time library keeps state per thread.
    void* const handle = dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw InputError(file.string(), dlerror());
    using Text = const char* (*)();
    using Models = const RtlModels* (*)();
    const auto digest = reinterpret_cast<Text>(dlsym(handle, "gsu_model_digest"));
    const auto tools = reinterpret_cast<Text>(dlsym(handle, "gsu_model_tools"));
    const auto models = reinterpret_cast<Models>(dlsym(handle, "gsu_model"));
    if (digest == nullptr || tools == nullptr || models == nullptr)
        throw InputError(file.string(), "is no model of GSU");
    if (std::string(digest()) != GSU_MODEL_DIGEST)
        throw InputError(file.string(),
                         std::string("was built from other sources or by other tools (") +
                             digest() + ", " + tools() +
                             ") than this gsu (" GSU_MODEL_DIGEST ", " GSU_MODEL_TOOLS
                             "): gsu build makes it anew");
    return std::shared_ptr<const RtlModel>(new RtlModel(*models()));
}

const Structure& RtlModel::structure() const noexcept { return models_.structure; }
bool RtlModel::full() const noexcept
{
    return models_.checked != nullptr && models_.traced != nullptr;
}

Structure ModelChoice::structure() const
{
    if (!with.empty() && !model.empty())
        throw InputError("--model",
                         "and --with exclude each other: a model has a structure already");
    if (isPath(model)) return RtlModel::load(fileOf(model))->structure();
    if (!model.empty()) return parsed(nameFile(model).string(), withOf(model));
    return parsed("--with", with);
}

std::shared_ptr<const RtlModel> ModelChoice::load() const
{
    const Structure wanted = structure();
    if (isPath(model)) return RtlModel::load(fileOf(model));
    if (wanted == defaultStructure())
        return nullptr;  // that of the models which this program has, if it has any
    const fs::path file = modelFile(wanted);
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        throw InputError(model.empty() ? "--with" : "--model",
                         "this structure is not built for this gsu: gsu build --with " +
                             textOf(wanted) + " (a minute or more, once)");
    std::shared_ptr<const RtlModel> loaded = RtlModel::load(file);
    if (!(loaded->structure() == wanted))
        throw InputError(file.string(), "has another structure: " + textOf(loaded->structure()));
    return loaded;
}

}  // namespace gsu
