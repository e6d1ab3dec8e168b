/// Verilator's FST writer looks at no result of what it writes, and maps temporary files of the disk into memory: a full disk gave damaged
/// waves or a bus error. Force-included into its one source (scripts/cmake/GsuVerilate.cmake): temporary files live in memory, and a
/// write that fails is remembered for takeWaveError().
#pragma once
#include <cstddef>
#include <cstdio>

namespace gsu {

/// errno of the first write of this thread that failed since the last call; 0: none.
[[nodiscard]] int takeWaveError() noexcept;

namespace waveio {
std::FILE* open(const char* name, const char* mode);
std::FILE* temporary();
std::size_t write(const void* bytes, std::size_t size, std::size_t count, std::FILE* file);
int put(int c, std::FILE* file);
int flush(std::FILE* file);
int close(std::FILE* file);
void* map(void* at, std::size_t bytes, int protection, int flags, int file, long offset);
}  // namespace waveio

}  // namespace gsu

#ifdef GSU_WAVE_IO
#include <sys/mman.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#define fopen(name, mode) gsu::waveio::open(name, mode)
#define tmpfile() gsu::waveio::temporary()
#define fwrite(bytes, size, count, file) gsu::waveio::write(bytes, size, count, file)
#define fputc(c, file) gsu::waveio::put(c, file)
#define fflush(file) gsu::waveio::flush(file)
#define fclose(file) gsu::waveio::close(file)
#define mmap(at, bytes, protection, flags, file, offset)                                           \
    gsu::waveio::map(at, bytes, protection, flags, file, offset)
#endif
