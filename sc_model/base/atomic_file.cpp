#include "base/atomic_file.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/input_error.hpp"

namespace gsu {

std::string partialName(const std::string& path)
{
    return path + '.' + std::to_string(::getpid()) + ".partial";
}

void renameInto(const std::string& partial, const std::string& path)
{
    if (std::rename(partial.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        std::remove(partial.c_str());
        throw InputError(path, "cannot be written: " + why);
    }
}

namespace {
// A signal handler may walk the list between any two stores: the list is consistent in every state.
std::atomic<Partial*> partials{nullptr};
static_assert(std::atomic<Partial*>::is_always_lock_free);
}  // namespace

Partial::Partial(std::string name) : name_(std::move(name)), next_(partials.load())
{
    partials.store(this);
}

Partial::~Partial()
{
    if (listed_) std::remove(name_.c_str());
    release();
}

void Partial::release() noexcept
{
    if (!listed_) return;
    listed_ = false;
    if (partials.load() == this) {
        partials.store(next_);
        return;
    }
    for (Partial* p = partials.load(); p != nullptr; p = p->next_) {
        if (p->next_ != this) continue;
        p->next_ = next_;
        return;
    }
}

void removePartials() noexcept
{
    for (const Partial* p = partials.load(); p != nullptr; p = p->next_) ::unlink(p->name_.c_str());
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), partial_(partialName(path_))
{
    file_ = std::fopen(partial_.name().c_str(), "wb");
    if (file_ == nullptr) {
        const int why = errno;
        partial_.release();
        errno = why;
        fail("cannot be written");
    }
}

AtomicFile::~AtomicFile()
{
    if (file_ != nullptr) std::fclose(file_);
}

void AtomicFile::fail(const char* what)
{
    throw InputError(path_, std::string(what) + ": " + std::strerror(errno));
}

void AtomicFile::write(std::string_view bytes)
{
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("writing failed");
}

void AtomicFile::seal()
{
    if (file_ == nullptr) return;
    if (std::fflush(file_) != 0) fail("writing failed");
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("writing failed");
}

void AtomicFile::commit()
{
    seal();
    renameInto(partial_.name(), path_);
    partial_.release();
}

}  // namespace gsu
