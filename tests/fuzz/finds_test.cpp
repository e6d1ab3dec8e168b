// Every input that once broke something, through the entry functions, without a fuzzer.
#include <map>

#include "catch.hpp"
#include "entries.hpp"
#include "files.hpp"

TEST_CASE("inputs that fuzzing found do no harm any more", "[fuzz]")
{
    namespace fs = std::filesystem;
    const std::map<std::string, void (*)(std::string_view)> entries{{"ptx", gsu::fuzz::ptx},
                                                                    {"launch", gsu::fuzz::launch},
                                                                    {"trace", gsu::fuzz::trace},
                                                                    {"fatbin", gsu::fuzz::fatbin}};
    std::size_t files = 0;
    for (const auto& folder : fs::directory_iterator(testfiles::testsFolder() + "/fuzz/finds")) {
        const auto entry = entries.find(folder.path().filename().string());
        REQUIRE(entry != entries.end());
        for (const auto& file : fs::directory_iterator(folder)) {
            CAPTURE(file.path().string());
            entry->second(testfiles::slurp(file.path().string()));
            ++files;
        }
    }
    CHECK(files > 0);
}
