/// Dumps of shared memory (gsu decode --dump): raw bytes, little-endian, as gsu run --dump-smem writes them; a NumPy file (.npy, any element type, C order);
/// hexadecimal text (.hex, .txt: bytes or longer numbers, the first digit highest).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gsu::cli {

/// Bytes of a dump; "-" is standard input. Throws InputError for a dump that is empty or cannot be read.
[[nodiscard]] std::vector<std::uint8_t> readDump(const std::string& path);

}  // namespace gsu::cli
