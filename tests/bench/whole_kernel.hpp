/// A kernel from beginning to end, as gsu run runs it.
#pragma once
#include "exec/settings/run_options.hpp"
#include "exec/visibility/form.hpp"

namespace gsu::bench {

struct WholeRun {
    bool lockstep{};  ///< else on the golden unit
    TensorMode tensor{TensorMode::Compute};
    const char* timing{"simple"};  ///< or hopper
    int repeats{1};                ///< of which the quickest counts
    visibility::Form memory{visibility::Form::Default};
};
/// Seconds of tests/bench/NAME.launch.json. Says when it did not end as expected.
[[nodiscard]] double kernelSeconds(const char* name, const WholeRun& run);

}  // namespace gsu::bench
