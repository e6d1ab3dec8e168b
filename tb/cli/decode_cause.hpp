/// The cause of a hang in a dump, in the wording of causes, as far as the words of barriers show it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gsu::cli {

/// An mbarrier in a dump, or a word alone.
struct DumpWord {
    std::uint64_t word{};
    std::optional<std::uint64_t> address;
    std::optional<unsigned> awaited;  ///< parity of the awaited phase, if that is known
};
struct DumpCause {
    bool waits{};  ///< a wait for the awaited parity, if one is given, does not come true
    std::string kind, sentence;
};
/// The cause; nothing: the word is no live object.
[[nodiscard]] std::optional<DumpCause> causeInDump(const std::vector<DumpWord>& words,
                                                   std::size_t index, bool sm80);

}  // namespace gsu::cli
