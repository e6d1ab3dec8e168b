// m8n8k4 of f16: lanes 4 q .. 4 q + 3 and 16 + 4 q .. 16 + 4 q + 3 make the product q.
#include "exec/tensor/mma.hpp"
#include "exec/tensor/multiply.hpp"

namespace gsu::tensor::detail {
namespace {

float halfOfPair(const Cell* const* registers, unsigned lane, unsigned index) noexcept
{
    const auto pair = static_cast<std::uint32_t>(registers[index / 2][lane]);
    return valueOf(Elem::F16, pair >> (16 * (index % 2)) & 0xffffu);
}

/// Row and column of element `index` of an accumulator; `member`: 0..7 in the quad pair.
Position place(Elem elem, unsigned member, unsigned index) noexcept
{
    const unsigned lane = member % 4, upper = member / 4 * 4;
    if (elem == Elem::F16) return {lane + upper, index};
    return {(lane & 1) + (index & 2) + upper, (index & 4) + (lane & 2) + (index & 1)};
}

/// c += a * b of one product.
void add(const Form& f, const float (&a)[8][4], const float (&b)[4][8], float (&c)[8][8]) noexcept
{
    if (f.truncated)
        return multiplyTruncated({8, 8, 4, &a[0][0], &b[0][0], &c[0][0], nullptr, true},
                                 hopperTruncation(f.a));
    for (unsigned row = 0; row < 8; ++row) {
        for (unsigned k = 0; k < 4; ++k) {
            for (unsigned column = 0; column < 8; ++column)
                c[row][column] += a[row][k] * b[k][column];  // the product is exact
        }
    }
}

}  // namespace

void mmaQuadPairs(const Form& f, const Fragments& x) noexcept
{
    for (unsigned q = 0; q < 4; ++q) {
        float a[8][4], b[4][8], c[8][8];
        const auto laneOf = [q](unsigned member) { return 16 * (member / 4) + 4 * q + member % 4; };
        for (unsigned member = 0; member < 8; ++member) {
            const unsigned lane = laneOf(member), upper = member / 4 * 4;
            for (unsigned i = 0; i < 4; ++i) {
                const float va = halfOfPair(x.a, lane, i), vb = halfOfPair(x.b, lane, i);
                (f.aColumn ? a[i + upper][member % 4] : a[member % 4 + upper][i]) = va;
                (f.bRow ? b[member % 4][i + upper] : b[i][member % 4 + upper]) = vb;
            }
            for (unsigned i = 0; i < 8; ++i) {
                const Position p = place(f.c, member, i);
                c[p.row][p.column] =
                    f.c == Elem::F16
                        ? halfOfPair(x.c, lane, i)
                        : std::bit_cast<float>(static_cast<std::uint32_t>(x.c[i][lane]));
            }
        }
        add(f, a, b, c);
        for (unsigned member = 0; member < 8; ++member) {
            const unsigned lane = laneOf(member);
            for (unsigned i = 0; i < 8; ++i) {
                const Position p = place(f.d, member, i);
                if (f.d == Elem::F32) {
                    if (x.d[i] != nullptr) x.d[i][lane] = singleBits(c[p.row][p.column]);
                } else if (x.d[i / 2] != nullptr) {
                    const unsigned shift = 16 * (i % 2);
                    const Cell half = Cell{halfOf(c[p.row][p.column])} << shift;
                    Cell& to = x.d[i / 2][lane];
                    to = i % 2 == 0 ? half : (to & 0xffffu) | half;
                }
            }
        }
    }
}

}  // namespace gsu::tensor::detail
