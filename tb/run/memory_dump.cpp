#include "run/memory_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/atomic_file.hpp"
#include "base/hash.hpp"
#include "base/output_path.hpp"

namespace gsu::run {

namespace fs = std::filesystem;

namespace {

/// Longest file name: a file system takes 255 bytes, and the temporary name is longer.
constexpr std::size_t kLongest = 200;

fs::path whole(const std::string& path)
{
    std::error_code error;
    return fs::weakly_canonical(path, error);
}

}  // namespace

std::vector<std::string> dumpNames(const std::vector<MemoryContents>& all)
{
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const MemoryContents& one : all) {
        std::string name = one.name;
        std::replace(name.begin(), name.end(), '/', '_');
        if (name.size() > kLongest) {
            const std::string tail = fmt::format("-{:016x}", fnv1a(one.name));
            name = name.substr(0, kLongest - tail.size()) + tail;
        }
        std::string free = name;
        for (unsigned i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}-{}", name, i);
        names.push_back(free + ".bin");
    }
    return names;
}

MemoryDump::MemoryDump(const CommonOptions& options, const LaunchSpec& spec,
                       const std::vector<MemoryContents>& names)
    : folder_(options.dumpMemory)
{
    if (folder_.empty()) return;
    std::vector<fs::path> inputs = spec.files;
    inputs.insert(inputs.end(), spec.linked.begin(), spec.linked.end());
    inputs.push_back(spec.ptx);
    inputs.emplace_back(options.input);
    const std::vector<std::string> files = dumpNames(names);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string path = folder_ + '/' + files[i];
        paths_[names[i].name] = path;
        for (const std::string* other :
             {&options.fst, &options.record, &options.timeline, &options.dumpSmem}) {
            if (!other->empty() && whole(*other) == whole(path))
                throw InputError(path, "named twice: by --dump-memory and as another output");
        }
        std::error_code error;
        if (!fs::exists(path, error)) continue;
        checkOutputFile("--dump-memory", path);
        for (const fs::path& input : inputs) {
            if (fs::equivalent(path, input, error) && !error)
                throw InputError(path, "cannot be written: it is an input of this run");
        }
    }
    makeOutputFolder("--dump-memory", folder_);
}

void MemoryDump::write(const std::vector<MemoryContents>& all, Outputs& outputs) const
{
    outputs.add("memory", folder_, [&] {
        std::vector<std::unique_ptr<AtomicFile>> files;
        for (const MemoryContents& one : all) {
            const auto& bytes = one.bytes;
            files.push_back(std::make_unique<AtomicFile>(paths_.at(one.name)));
            files.back()->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
            files.back()->seal();
        }
        for (const auto& file : files) file->commit();
    });
}

}  // namespace gsu::run
