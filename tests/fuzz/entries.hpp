/// Entry functions of the fuzzing programs: each takes any bytes and must come back. Nothing of them may crash, hang, allocate
/// without bound or break a property that it checks (then it stops the program with a message).
#pragma once
#include <string_view>

namespace gsu::fuzz {

/// A PTX module: parsed, judged in both dialects, printed and read again.
void ptx(std::string_view input);
/// A launch file, a line "%%", and its PTX: read and executed on the golden unit with small limits.
void launch(std::string_view input);
/// A trace, its footer made to fit: read, written again, checked and replayed on the golden unit with a limit of cycles.
void trace(std::string_view input);
/// A fat binary: its images read.
void fatbin(std::string_view input);
/// A litmus test: read, explored with small limits in each form of memory; its witnesses become kernels, whose PTX is read.
void litmus(std::string_view input);
/// A checkpoint of the C library, made to fit a golden unit: restored with a limit of cycles, saved and restored again.
void checkpoint(std::string_view input);

/// Stops the program when a property does not hold.
void require(bool property, const char* what);

}  // namespace gsu::fuzz
