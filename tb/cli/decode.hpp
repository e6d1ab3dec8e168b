/// Options of `gsu decode`.
#pragma once
#include <string>
#include <vector>

namespace gsu::cli {

struct DecodeOptions {
    std::vector<std::string> words;  ///< hexadecimal with 0x or decimal
    std::string dump;                ///< file of shared memory (dump_file.hpp), "-": standard input
    std::vector<std::string> at;     ///< addresses of mbarriers in the CTA's window
    std::string base{"0"};           ///< byte of the dump at which that window begins
    std::string profile{"sm_90"};
    std::vector<unsigned> parity;  ///< awaited parity: one for all words, or one for each
    bool json{};
};

}  // namespace gsu::cli
