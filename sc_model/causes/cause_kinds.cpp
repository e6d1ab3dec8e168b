#include "causes/cause_kinds.hpp"

namespace gsu {

std::span<const CauseRow> causeRows() noexcept
{
    static constexpr CauseRow kRows[]{
#define CAUSE(kind, word, group, when) {CauseKind::kind, word, CauseGroup::group, when},
#include "causes/causes.def"
#undef CAUSE
    };
    return kRows;
}

const char* nameOf(CauseKind kind) noexcept
{
    return causeRows()[static_cast<std::size_t>(kind)].word;
}

}  // namespace gsu
