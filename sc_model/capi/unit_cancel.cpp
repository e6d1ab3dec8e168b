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
    if (!chip_->canAnswerCancel(answer.sm))
        throw Refusal{GSU_E_BUSY, fmt::format("SM {} takes no answer in this cycle", answer.sm)};
    guard_.took(answer);
    took(answer);
    chip_->answerCancel(answer);
}

bool gsu_unit::canAnswerCancel(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && chip_->canAnswerCancel(std::uint8_t(sm));
}
