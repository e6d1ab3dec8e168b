/// An output file that appears complete or not at all: written under a temporary name beside the target, renamed by commit().
/// Failures are InputError with the target's name.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace gsu {

/// "<path>.<pid>.partial": the name of the file while it is written.
[[nodiscard]] std::string partialName(const std::string& path);
/// Gives the file `partial` its final name `path`. Throws InputError.
void renameInto(const std::string& partial, const std::string& path);

/// A file under its temporary name. It is removed at the end unless released, and by removePartials().
/// Objects are made and destroyed by one thread, the one that takes signals.
class Partial {
public:
    explicit Partial(std::string name);
    ~Partial();
    Partial(const Partial&) = delete;
    Partial& operator=(const Partial&) = delete;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// Keeps the file: it has its final name, or is gone.
    void release() noexcept;

private:
    friend void removePartials() noexcept;
    std::string name_;
    Partial* next_{};
    bool listed_{true};
};

/// Removes every file that still has its temporary name. May be called from a signal handler.
void removePartials() noexcept;

class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    void write(std::string_view bytes);
    /// Writes buffered bytes and closes the file, which keeps its temporary name. Throws InputError.
    void seal();
    /// Seals the file and gives it its final name. Without this call the destructor removes the file. Throws InputError.
    void commit();
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    [[noreturn]] void fail(const char* what);
    std::string path_;
    Partial partial_;
    std::FILE* file_{};
};

}  // namespace gsu
