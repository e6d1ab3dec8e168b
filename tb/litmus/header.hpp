/// What stands before the first brace of a litmus file; private to tb/litmus.
#pragma once
#include <string>
#include <vector>

namespace gsu::litmus {

/// A name that may hold anything, remarks in quotes, and whatever else the suites put there.
struct Header {
    std::string name;
    std::vector<std::string> remarks;
    std::string rest;  ///< the text with the header blank: places stay
};

/// `word`: what the file begins with, in capitals or not. Throws InputError.
[[nodiscard]] Header headerOf(const std::string& text, const std::string& file,
                              const std::string& word);

}  // namespace gsu::litmus
