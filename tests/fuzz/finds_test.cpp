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
                                                                    {"fatbin", gsu::fuzz::fatbin},
                                                                    {"litmus", gsu::fuzz::litmus}};
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

TEST_CASE("litmus tests begin the fuzzing of litmus tests", "[fuzz]")
{
    std::size_t files = 0;
    const std::string shapes = testfiles::testsFolder() + "/litmus/shapes";
    for (const auto& file : std::filesystem::directory_iterator(shapes)) {
        if (!file.path().filename().string().starts_with("mp_")) continue;
        CAPTURE(file.path().string());
        gsu::fuzz::litmus(testfiles::slurp(file.path().string()));
        ++files;
    }
    CHECK(files > 5);
}

#ifdef GSU_FUZZ_CHECKPOINT
TEST_CASE("a checkpoint begins the fuzzing of checkpoints", "[fuzz]")
{
    gsu::fuzz::checkpoint("");
    gsu::fuzz::checkpoint("GSU checkpoint 3\n");
    gsu::fuzz::checkpoint(std::string_view("GSU checkpoint 3\n\0\0\0\7\2\0\10\7", 25));
}
#endif
