// Queries of try_cancel and the answers of the program.
#include <fmt/format.h>

#include "capi/unit.hpp"

using gsu::capi::Refusal;

void gsu_unit::answerCancel(const gsu::CancelAnswer& answer)
{
    mayTakeInput();
    mayUse(answer.sm);
    if (const std::string problem = guard_.problem(answer); !problem.empty())
        throw Refusal{GSU_E_STATE, problem};
    gsu::CancelAnswer inside = answer;
    inside.sm = at(answer.sm).local(answer.sm);
    if (!at(answer.sm).port().canAnswerCancel(inside.sm))
        throw Refusal{GSU_E_BUSY, fmt::format("SM {} takes no answer in this cycle", answer.sm)};
    guard_.took(answer);
    took(answer);
    at(answer.sm).port().answerCancel(inside);
}

bool gsu_unit::canAnswerCancel(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && at(sm).port().canAnswerCancel(at(sm).local(sm));
}
