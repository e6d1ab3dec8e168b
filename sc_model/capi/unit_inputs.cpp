// Inputs of a unit: each is checked, kept for checkpoints and hangs, and given to the chip.
#include <fmt/format.h>

#include "capi/unit.hpp"
#include "golden/chip_layout.hpp"
#include "golden/limits.hpp"
#include "golden/op_traits.hpp"

using gsu::capi::Refusal;

template <typename Input> void gsu_unit::check(const Input& input) const
{
    mayTakeInput();
    std::string problem = gsu::problemOf(input, options_.sms, options_.structure);
    if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, std::move(problem)};
    problem = checker_.problem(input);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
}

void gsu_unit::present(const gsu::SyncRequest& request)
{
    check(request);
    if (gsu::isCancel(request.op) && !cancels_)
        throw Refusal{
            GSU_E_VERSION,
            "try_cancel needs gsu_options::abi 1.6: its queries are answered by the program"};
    if (!chip_->canPresent(request.at.sm))
        throw Refusal{GSU_E_BUSY,
                      fmt::format("SM {} takes no request in this cycle", request.at.sm)};
    checker_.took(request);
    history_.request(request, line_, now());
    took(request);
    chip_->present(request);
}

void gsu_unit::notify(const gsu::AsyncUpdate& update)
{
    check(update);
    if (!chip_->canNotify(update.sm))
        throw Refusal{GSU_E_BUSY,
                      fmt::format("SM {} takes no completion in this cycle", update.sm)};
    history_.copy(update, line_);
    took(update);
    chip_->notify(update);
}

void gsu_unit::route(const gsu::ClusterRoute& route)
{
    check(route);
    checker_.took(route);
    history_.route(route);
    took(route);
    chip_->route(route);
}

bool gsu_unit::launch(const gsu::Launch& launch)
{
    check(launch);
    if (!chip_->launch(launch)) return false;
    checker_.took(launch);
    history_.launch(launch);
    took(launch);
    return true;
}

void gsu_unit::exit(const gsu::Exit& exit)
{
    check(exit);
    checker_.took(exit);
    history_.exit(exit, line_, now());
    took(exit);
    chip_->exit(exit);
}

void gsu_unit::announce(const gsu::Accesses& accesses)
{
    check(accesses);
    if (accesses.epoch != chip_->epoch(accesses.at, accesses.reach))
        throw Refusal{GSU_E_STATE, fmt::format("wrong epoch: {} now, see gsu_unit_epoch()",
                                               chip_->epoch(accesses.at, accesses.reach))};
    std::string problem = checker_.tooMany(accesses);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    checker_.announced(accesses);
    took(accesses);
    chip_->announce(accesses);
}

void gsu_unit::performed(const gsu::Accesses& accesses)
{
    check(accesses);
    std::string problem = checker_.notAnnounced(accesses);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    checker_.performed(accesses);
    took(gsu::capi::Performed{accesses});
    chip_->performed(accesses);
}

void gsu_unit::stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    mayTakeInput();
    mayUse(sm);
    if (bytes > gsu::kSharedBytes || addr > gsu::kSharedBytes - bytes)
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("shared memory above {} bytes", gsu::kSharedBytes)};
    took(gsu::capi::Stored{sm, addr, bytes});
    for (unsigned cta = 0; cta < gsu::kMaxCtas; ++cta) {
        const gsu::Launch* launch = checker_.launched(sm, cta);
        if (launch == nullptr || addr + bytes <= launch->base) continue;
        const std::uint32_t skipped = addr < launch->base ? launch->base - addr : 0;
        barriers_.stored(sm, cta, addr + skipped - launch->base, bytes - skipped);
    }
    reading_ = true;
    chip_->stored(std::uint8_t(sm), addr, bytes);
    reading_ = false;
}

void gsu_unit::grid(const gsu::capi::GridInput& grid)
{
    mayTakeInput();
    if (grid.network >= chip_->networks())
        throw Refusal{GSU_E_ARGUMENT,
                      fmt::format("network {} of {}", grid.network, chip_->networks())};
    std::string problem = gsu::problemOf(grid.start, options_.sms);
    if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, std::move(problem)};
    problem = checker_.problem(grid);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    checker_.took(grid);
    history_.grid(grid.network, grid.start);
    took(grid);
    chip_->networkGrid(grid.network, grid.start);
}

void gsu_unit::answerCancel(const gsu::CancelAnswer& answer)
{
    mayTakeInput();
    mayUse(answer.sm);
    if (const std::string problem = checker_.problem(answer); !problem.empty())
        throw Refusal{GSU_E_STATE, problem};
    if (!chip_->canAnswerCancel(answer.sm))
        throw Refusal{GSU_E_BUSY, fmt::format("SM {} takes no answer in this cycle", answer.sm)};
    checker_.took(answer);
    took(answer);
    chip_->answerCancel(answer);
}

void gsu_unit::line(std::uint32_t line)
{
    mayTakeInput();
    line_ = line;
}

void gsu_unit::took(const gsu::capi::Input& input)
{
    given_ = true;
    if (journals_ && line_ != 0) journal_.add(gsu::capi::AtLine{line_});
    line_ = 0;
    if (journals_) journal_.add(input);
}
