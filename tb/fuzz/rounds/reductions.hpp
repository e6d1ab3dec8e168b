/// Commutative operations of atom, red, red.async and cp.reduce on 32 bits, as text and as arithmetic.
#pragma once
#include <cstdint>
#include <string>

#include "fuzz/random.hpp"

namespace gsu::fuzz {

struct Reduction {
    const char* op;
    const char* type;
    std::uint32_t (*fold)(std::uint32_t old, std::uint32_t value);
    bool counts{};          ///< inc, dec: all must use one bound, or the order would show
    std::uint32_t start{};  ///< a neutral or interesting first value
    [[nodiscard]] std::string text() const { return std::string(op) + '.' + type; }
};

[[nodiscard]] const Reduction& drawReduction(Random& random);

}  // namespace gsu::fuzz
