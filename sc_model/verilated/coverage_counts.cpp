#include "coverage_counts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

std::uint32_t* gsuCoverageCounts(const char* name, std::size_t counters)
{
    const std::size_t bytes = counters * sizeof(std::uint32_t);
    const char* folder = std::getenv("GSU_COVERAGE_COUNTS");
    if (folder == nullptr)
        return static_cast<std::uint32_t*>(std::calloc(counters, sizeof(std::uint32_t)));
    const std::string file = std::string(folder) + "/" + name + ".counts";
    const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    void* at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) == 0)
        at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (at == MAP_FAILED) {  // before main(): a count that is lost must not look like a hole
        std::perror(file.c_str());
        std::_Exit(2);
    }
    return static_cast<std::uint32_t*>(at);
}
