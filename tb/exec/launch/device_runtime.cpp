// The grid entry points of the device runtime, in PTX: they act on the same words as grid barriers that compilers inline, so both
// kinds may be mixed. A handle is the address of the grid's workspace; 0 is none, and gives cudaErrorInvalidValue.
#include "exec/launch/device_runtime.hpp"

#include <algorithm>
#include <array>

#include "ptx/parser.hpp"

namespace gsu {
namespace {

constexpr std::array<std::string_view, 5> kNames{"cudaCGGetIntrinsicHandle", "cudaCGSynchronize",
                                                 "cudaCGSynchronizeGrid", "cudaCGGetSize",
                                                 "cudaCGGetRank"};

/// Scope 1 is the grid. Scope 2 was all grids of a launch on several devices: a call that nothing can perform.
constexpr const char* kHandle = R"(
.extern .func cudaCGScopeMultiGrid();
.visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u32 %r1, [scope];
    mov.u64 %rd1, 0;
    setp.eq.u32 %p1, %r1, 2;
    @%p1 call cudaCGScopeMultiGrid;
    setp.ne.u32 %p2, %r1, 1;
    @%p2 bra done;
    mov.u32 %r2, %envreg1;
    mov.u32 %r3, %envreg2;
    mov.b64 %rd1, {%r3, %r2};
done:
    st.param.b64 [result], %rd1;
    ret;
}
)";

/// Every CTA adds 1 to the word, the first one the difference to 2^31: the top bit flips when all have come.
constexpr const char* kSynchronize = R"(
.visible .func (.param .b32 result) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<4>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [handle];
    mov.u32 %r1, 1;
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 bra done;
    barrier.sync 0;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %tid.z;
    or.b32 %r2, %r2, %r3;
    or.b32 %r2, %r2, %r4;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra together;
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %ctaid.y;
    mov.u32 %r7, %ctaid.z;
    or.b32 %r5, %r5, %r6;
    or.b32 %r5, %r5, %r7;
    setp.eq.u32 %p3, %r5, 0;
    mov.u32 %r8, %nctaid.x;
    mov.u32 %r9, %nctaid.y;
    mov.u32 %r10, %nctaid.z;
    mul.lo.u32 %r8, %r8, %r9;
    mul.lo.u32 %r8, %r8, %r10;
    sub.u32 %r8, 0x80000001, %r8;
    selp.b32 %r11, %r8, 1, %p3;
    add.u64 %rd2, %rd1, 4;
    atom.add.release.gpu.u32 %r12, [%rd2], %r11;
again:
    ld.acquire.gpu.u32 %r13, [%rd2];
    xor.b32 %r13, %r13, %r12;
    setp.ge.s32 %p3, %r13, 0;
    @%p3 bra again;
together:
    barrier.sync 0;
    mov.u32 %r1, 0;
done:
    st.param.b32 [result], %r1;
    ret;
}
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    .param .b64 h;
    .param .b32 f;
    .param .b32 e;
    ld.param.u64 %rd1, [handle];
    ld.param.u32 %r1, [flags];
    st.param.b64 [h], %rd1;
    st.param.b32 [f], %r1;
    call (e), cudaCGSynchronizeGrid, (h, f);
    ld.param.b32 %r2, [e];
    st.param.b32 [result], %r2;
    ret;
}
)";

/// Threads of the grid and grids; the thread's number in the grid and the grid's.
constexpr const char* kNumbers = R"(
.visible .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [threads];
    ld.param.u64 %rd2, [grids];
    ld.param.u64 %rd3, [handle];
    mov.u32 %r1, 1;
    setp.eq.u64 %p1, %rd3, 0;
    @%p1 bra done;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %nctaid.y;
    mul.lo.u32 %r2, %r2, %r3;
    mov.u32 %r3, %nctaid.z;
    mul.lo.u32 %r2, %r2, %r3;
    mov.u32 %r3, %ntid.x;
    mul.lo.u32 %r2, %r2, %r3;
    mov.u32 %r3, %ntid.y;
    mul.lo.u32 %r2, %r2, %r3;
    mov.u32 %r3, %ntid.z;
    mul.lo.u32 %r2, %r2, %r3;
    setp.ne.u64 %p2, %rd1, 0;
    @%p2 st.u32 [%rd1], %r2;
    setp.ne.u64 %p3, %rd2, 0;
    @%p3 st.u32 [%rd2], %r1;
    mov.u32 %r1, 0;
done:
    st.param.b32 [result], %r1;
    ret;
}
.visible .func (.param .b32 result) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle)
{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [thread];
    ld.param.u64 %rd2, [grid];
    ld.param.u64 %rd3, [handle];
    mov.u32 %r1, 1;
    setp.eq.u64 %p1, %rd3, 0;
    @%p1 bra done;
    mov.u32 %r2, %ctaid.z;
    mov.u32 %r3, %nctaid.y;
    mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %nctaid.x;
    mov.u32 %r4, %ctaid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.z;
    mov.u32 %r4, %tid.z;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.y;
    mov.u32 %r4, %tid.y;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mov.u32 %r1, 0;
    setp.ne.u64 %p2, %rd1, 0;
    @%p2 st.u32 [%rd1], %r2;
    setp.ne.u64 %p3, %rd2, 0;
    @%p3 st.u32 [%rd2], %r1;
done:
    st.param.b32 [result], %r1;
    ret;
}
)";

}  // namespace

bool callsDeviceRuntime(const std::vector<ptx::Module>& modules)
{
    for (const std::string_view name : kNames) {
        bool declared = false, defined = false;
        for (const ptx::Module& m : modules) {
            const ptx::Function* f = m.find(name);
            if (f == nullptr) continue;
            (f->defined ? defined : declared) = true;
        }
        if (declared && !defined) return true;
    }
    return false;
}

ptx::Module deviceRuntime()
{
    const std::string text = std::string(".version 7.0\n.target sm_70\n.address_size 64\n") +
                             kHandle + kSynchronize + kNumbers;
    return ptx::parseModule(text, "device runtime");
}

}  // namespace gsu
