/// Loops over the lanes of a whole warp by the widest instructions of the host. Private to tb/exec.
#pragma once
#include "exec/tensor/multiply.hpp"
#include "golden/port_types.hpp"

namespace gsu::exec {

#if defined(__x86_64__)

/// Whether the host has AVX2 and FMA.
inline const bool kWideHost = tensor::detail::hasAvx2();

/// `f` by value: what it captures by value is nothing that its stores could change.
template <class F> [[gnu::target("avx2,fma"), gnu::flatten]] inline auto callWide(F f)
{
    return f();
}

/// Returns f(), compiled a second time for hosts with AVX2 and FMA. Results are equal where products and sums are not contracted (-ffp-contract=off).
template <class F> inline auto widely(F f) { return kWideHost ? callWide(f) : f(); }

#else

template <class F> inline auto widely(F f) { return f(); }

#endif

/// As eachLane(), for loops that compilers turn into vector instructions.
template <class F> inline void eachCell(Lanes lanes, F f)
{
    if (lanes != ~Lanes{0}) return eachLane(lanes, f);
    widely([f] {
        for (unsigned lane = 0; lane < 32; ++lane) f(lane);
    });
}

}  // namespace gsu::exec
