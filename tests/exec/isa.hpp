/// Runs one instruction over columns of operands: one thread per row. Private to the tests of tb/exec.
#pragma once
#include <bit>
#include <random>

#include "exec/harness.hpp"

namespace gsu::test {

using Column = std::vector<std::uint64_t>;

/// `text` uses %d, %a, %b, %c and may use %p1; widths are those of the registers, in bytes (d, a, b, c).
inline Column evaluate(const std::string& text, std::array<unsigned, 4> widths,
                       const std::array<Column, 3>& in)
{
    const auto rows = static_cast<std::uint32_t>(in[0].size());
    const auto reg = [](char name, unsigned bytes) {
        return ".reg .b" + std::to_string(bytes * 8) + " %" + name + ";\n";
    };
    std::string body =
        reg('d', widths[0]) + reg('a', widths[1]) + reg('b', widths[2]) + reg('c', widths[3]) +
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 64, %r1;\n"
        "mul.wide.u32 %rd9, %r1, 8;\n";
    const char names[3]{'a', 'b', 'c'};
    for (unsigned i = 0; i < 3; ++i) {
        const std::string n(1, names[i]);
        body += "ld.param.u64 %rd1, [" + n + "_];\nadd.u64 %rd1, %rd1, %rd9;\nld.global.b" +
                std::to_string(widths[i + 1] * 8) + " %" + n + ", [%rd1];\n";
    }
    body += "mov.b" + std::to_string(widths[0] * 8) + " %d, 0;\n" + text +
            "\nld.param.u64 %rd1, [d_];\nadd.u64 %rd1, %rd1, %rd9;\nst.global.b" +
            std::to_string(widths[0] * 8) + " [%rd1], %d;\nret;";
    const Kernel k{".param .u64 d_, .param .u64 a_, .param .u64 b_, .param .u64 c_", body};
    std::array<Column, 3> padded = in;
    const std::uint32_t blocks = (rows + 63) / 64;
    for (Column& c : padded) c.resize(std::size_t{blocks} * 64);
    const Outcome o = run(k, {64, 1, 1},
                          {buffer(Column(std::size_t{blocks} * 64)), buffer(padded[0]),
                           buffer(padded[1]), buffer(padded[2])},
                          1, {blocks, 1, 1});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    Column d = o.as<std::uint64_t>(0);
    d.resize(rows);
    return d;
}

inline std::uint32_t bitsOf(float f) { return std::bit_cast<std::uint32_t>(f); }
inline std::uint64_t bitsOf(double f) { return std::bit_cast<std::uint64_t>(f); }
inline float floatOf(std::uint64_t v)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(v));
}
inline double doubleOf(std::uint64_t v) { return std::bit_cast<double>(v); }

// Values at which arithmetic goes wrong.
inline constexpr std::uint64_t kEdges[]{0,
                                        1,
                                        2,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        ~0ull,
                                        31,
                                        32,
                                        33,
                                        64};
inline constexpr float kFloatEdges[]{0.0f,
                                     -0.0f,
                                     1.0f,
                                     -1.0f,
                                     0.5f,
                                     1e-40f,
                                     -1e-40f,
                                     3.4e38f,
                                     -3.4e38f,
                                     HUGE_VALF,
                                     -HUGE_VALF,
                                     NAN,
                                     1.17549435e-38f,
                                     16777216.0f,
                                     0.1f,
                                     65504.0f,
                                     65520.0f,
                                     2.5f,
                                     -2.5f,
                                     3.5f,
                                     2147483648.0f};

/// Random values mixed with those at which arithmetic goes wrong.
inline std::array<Column, 3> operands(std::uint64_t seed, bool floating, unsigned bytes,
                                      std::size_t rows = 512)
{
    std::mt19937_64 random(seed);
    std::array<Column, 3> in;
    for (Column& c : in) {
        for (std::size_t i = 0; i < rows; ++i) {
            std::uint64_t v = random();
            if (!floating && random() % 3 == 0) v = kEdges[random() % std::size(kEdges)];
            if (floating && bytes == 4) {
                if (random() % 3 == 0)
                    v = bitsOf(kFloatEdges[random() % std::size(kFloatEdges)]);
                else if (random() % 2 == 0)
                    v = bitsOf(
                        std::ldexp(static_cast<float>(std::int32_t(v)), int(random() % 60) - 60));
            }
            if (floating && bytes == 8) {
                if (random() % 3 == 0)
                    v = bitsOf(static_cast<double>(kFloatEdges[random() % std::size(kFloatEdges)]));
                else if (random() % 2 == 0)
                    v = bitsOf(std::ldexp(static_cast<double>(std::int64_t(v)),
                                          int(random() % 100) - 120));
            }
            c.push_back(bytes == 8 ? v : v & ((1ull << bytes * 8) - 1));
        }
    }
    return in;
}

}  // namespace gsu::test
