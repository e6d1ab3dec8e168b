/// An output file that appears complete or not at all: written under a temporary name beside the target, renamed by commit().
/// Failures are InputError with the target's name.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace gsu {

/// "<path>.<pid>.partial": where something is written before it gets its name.
[[nodiscard]] std::string partialName(const std::string& path);
/// Renames; throws InputError when that fails.
void renameInto(const std::string& partial, const std::string& path);

class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    void write(std::string_view bytes);
    /// Flushes, closes, renames. Without it the destructor removes what was written.
    void commit();
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    [[noreturn]] void fail(const char* what);
    std::string path_, partial_;
    std::FILE* file_{};
};

}  // namespace gsu
