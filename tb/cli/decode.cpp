#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "golden/input_error.hpp"
#include "golden/mbarrier.hpp"
#include "observers/mbar_word.hpp"

namespace gsu::cli {

int decode(const std::string& text, bool json)
{
    std::uint64_t word = 0;
    const bool hex = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
    const char* const first = text.data() + (hex ? 2 : 0);
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, word, hex ? 16 : 10);
    if (error != std::errc{} || end != last)
        throw InputError("WORD", 0, 0, "'" + text + "' is not a 64-bit number");
    const MbarState s = unpackMbar(word);
    const std::string explanation = explainMbarWord(word);
    if (json) {
        const nlohmann::ordered_json out{{"word", fmt::format("{:#018x}", word)},
                                         {"phase", s.phase ? 1 : 0},
                                         {"pending", s.pending},
                                         {"lock", s.lock},
                                         {"tx", s.tx},
                                         {"expected", s.expected},
                                         {"layout", word & 1u},
                                         {"explanation", explanation}};
        print(out.dump() + '\n');
        return kAsExpected;
    }
    print(
        fmt::format("mbarrier word {:#018x} (sm_90 layout)\n"
                    "  [63]    phase     {}\n  [62:43] pending   {}\n  [42]    lock      {}\n"
                    "  [41:21] tx        {}\n  [20:1]  expected  {}\n  [0]     layout    v{}\n{}\n",
                    word, s.phase ? 1 : 0, s.pending, s.lock ? 1 : 0, s.tx, s.expected, word & 1u,
                    explanation));
    return kAsExpected;
}

}  // namespace gsu::cli
