/// The header of a litmus file, before the first brace; private to tb/litmus.
#pragma once
#include <string>
#include <vector>

namespace gsu::litmus {

/// A name of any characters, remarks in quotes, and further text of the suites.
struct Header {
    std::string name;
    std::vector<std::string> remarks;
    std::string rest;  ///< the text with a blank header: positions are unchanged
};

/// Reads the header. `word`: first word of the file, in capitals or not. Throws InputError.
[[nodiscard]] Header headerOf(const std::string& text, const std::string& file,
                              const std::string& word);

}  // namespace gsu::litmus
