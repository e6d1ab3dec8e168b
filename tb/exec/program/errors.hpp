/// The exception for a PTX instruction outside the supported set; it ends the run with exit code 2.
#pragma once
#include "base/input_error.hpp"

namespace gsu {

/// Thrown while running, when a lane executes an instruction that is decoded but not supported. `reason` names it.
struct UnsupportedError : InputError {
    using InputError::InputError;
};

}  // namespace gsu
