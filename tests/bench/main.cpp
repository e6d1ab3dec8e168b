// gsu_bench [part...]: units, replay, kernel, memory, mbarrier, warp, tensor, tcgen05, checks, timing, chip; all of them without an argument.
#include <fmt/core.h>

#include <cstring>

#include "bench.hpp"

int main(int argc, char** argv)
{
    using namespace gsu::bench;
    const auto wanted = [&](const char* part) {
        for (int i = 1; i < argc; ++i)
            if (std::strcmp(argv[i], part) == 0) return true;
        return argc == 1;
    };
    std::vector<Figure> figures;
    if (wanted("units")) measureUnits(figures);
    if (wanted("replay")) measureReplay(figures);
    if (wanted("kernel")) measureKernel(figures);
    if (wanted("memory")) measureMemory(figures);
    if (wanted("mbarrier")) measureMbarriers(figures);
    if (wanted("warp")) measureWarps(figures);
    if (wanted("tensor")) measureTensor(figures);
    if (wanted("tcgen05")) measureTcgen05(figures);
    if (wanted("checks")) measureChecks(figures);
    if (wanted("timing")) measureTiming(figures);
    if (wanted("chip")) measureChips(figures);
    for (const Figure& f : figures)
        fmt::print("{:62} {:>12} {:10} {}\n", f.name,
                   f.value < 100 ? fmt::format("{:.2f}", f.value) : fmt::format("{:.0f}", f.value),
                   f.unit, f.target.empty() ? "" : "aim " + f.target);
    return 0;
}
