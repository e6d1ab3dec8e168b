// Reading fat binaries: the forms that compilers write, and what is left of them after damage.
#include <nlohmann/json.hpp>

#include "base/input_error.hpp"
#include "catch.hpp"
#include "cuda/code/fat_binary.hpp"
#include "files.hpp"
#include "ptx/parser.hpp"

using namespace gsu;

namespace {

std::vector<std::uint8_t> bytesOf(const std::string& name)
{
    const std::string text =
        testfiles::slurp(testfiles::testsFolder() + "/cuda/data/" + name + ".fatbin");
    return {text.begin(), text.end()};
}

std::uint64_t randomFrom(std::uint64_t& seed)
{
    seed += 0x9e37'79b9'7f4a'7c15ull;
    std::uint64_t z = seed;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9ull;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebull;
    return z ^ z >> 31;
}

}  // namespace

TEST_CASE("plain, LZ4 and zstd images hold the same PTX")
{
    std::vector<std::string> texts;
    for (const char* name : {"kernels_none", "kernels_speed", "kernels_size"}) {
        const auto images = cuda::imagesOf(bytesOf(name));
        REQUIRE(images.size() == 1);
        CHECK(images[0].ptx);
        CHECK(images[0].arch == 90);
        texts.push_back(images[0].text);
    }
    CHECK(texts[0].find(".visible .entry add(") != std::string::npos);
    CHECK(texts[0] == texts[1]);
    CHECK(texts[0] == texts[2]);
    CHECK(ptx::parseModule(texts[0], "kernels").ok());
}

TEST_CASE("the newest PTX that the device runs is taken, machine code never")
{
    std::vector<cuda::Image> images{
        {true, 70, "a"}, {false, 90, {}}, {true, 90, "b"}, {true, 100, "c"}};
    CHECK(cuda::ptxFor(images, 89)->text == "a");
    CHECK(cuda::ptxFor(images, 90)->text == "b");
    CHECK(cuda::ptxFor(images, 120)->text == "c");
    CHECK(cuda::ptxFor(images, 60) == nullptr);
    const auto machine = cuda::imagesOf(bytesOf("machine"));
    REQUIRE(machine.size() == 1);
    CHECK_FALSE(machine[0].ptx);
    CHECK(cuda::ptxFor(machine, 90) == nullptr);
}

TEST_CASE("a container that is cut is refused at every length")
{
    for (const char* name : {"kernels_none", "kernels_speed", "kernels_size"}) {
        const std::vector<std::uint8_t> whole = bytesOf(name);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            // A copy of its own: the sanitizers see every byte beyond it.
            const std::vector<std::uint8_t> cut(
                whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
            REQUIRE_THROWS_AS(cuda::imagesOf(cut), InputError);
        }
    }
}

TEST_CASE("flipped bits are refused or give some text, and nothing else happens")
{
    std::uint64_t seed = 7;
    INFO("seed " << seed);
    unsigned refused = 0, read = 0;
    for (const char* name : {"kernels_none", "kernels_speed", "kernels_size"}) {
        const std::vector<std::uint8_t> whole = bytesOf(name);
        for (int round = 0; round < 1500; ++round) {
            std::vector<std::uint8_t> damaged = whole;
            // Half of them in the headers, where more depends on a bit.
            const std::uint64_t range = round % 2 == 0 ? 96 : damaged.size();
            for (std::uint64_t flips = 1 + randomFrom(seed) % 3; flips != 0; --flips)
                damaged[randomFrom(seed) % range] ^=
                    static_cast<std::uint8_t>(1 << randomFrom(seed) % 8);
            try {
                for (const cuda::Image& image : cuda::imagesOf(damaged)) read += image.ptx ? 1 : 0;
            } catch (const InputError&) {
                ++refused;
            }
        }
    }
    CHECK(refused > 500);
    CHECK(read > 500);
}

TEST_CASE("memory that is not there is not read")
{
    CHECK_FALSE(cuda::readOwn(nullptr, 16).has_value());
    const std::string text = "abc";
    CHECK(cuda::textOwn(text.c_str(), 100) == "abc");
    CHECK_FALSE(cuda::textOwn(nullptr, 100).has_value());
}
