#include "base/atomic_file.hpp"

#include <unistd.h>

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
        throw InputError(path, 0, 0, "cannot be written: " + why);
    }
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), partial_(partialName(path_))
{
    file_ = std::fopen(partial_.c_str(), "wb");
    if (file_ == nullptr) fail("cannot be written");
}

AtomicFile::~AtomicFile()
{
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(partial_.c_str());
}

void AtomicFile::fail(const char* what)
{
    throw InputError(path_, 0, 0, std::string(what) + ": " + std::strerror(errno));
}

void AtomicFile::write(std::string_view bytes)
{
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("writing failed");
}

void AtomicFile::commit()
{
    if (std::fflush(file_) != 0) fail("writing failed");
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) {
        std::remove(partial_.c_str());
        fail("writing failed");
    }
    renameInto(partial_, path_);
}

}  // namespace gsu
