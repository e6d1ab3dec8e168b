// Arguments at the edge of what a call may be given, and programs that do what hardly any program does: the API's errors with a line, and never a crash.
#include "catch.hpp"
#include "program.hpp"

using namespace process;
using program::exec;
using program::has;

namespace {

/// The scenario ends well; what it wrote to standard error.
std::string right(const std::string& scenario, int code = 0)
{
    const Outcome o = exec(scenario);
    INFO(scenario << '\n' << o.out + o.err);
    CHECK(o.code == code);
    CHECK(has(o.out, "ok\n"));
    return o.err;
}

}  // namespace

TEST_CASE("extents that do not fit in 64 bits are invalid values and touch nothing")
{
    const std::string said = right("wrapping");
    CHECK(has(said, "gsu: cudaMemset2D: size and offset do not fit 64 bits"));
    CHECK(has(right("pitches"), "gsu: cuMemAllocPitch: "));
}

TEST_CASE("addresses come back when none are left") { right("recycled"); }

TEST_CASE("a null pointer where a result goes is an invalid value in every call")
{
    const Outcome o = exec("null_pointers");
    INFO(o.out + o.err);
    CHECK(o.code == 0);
    REQUIRE(has(o.out, "ok\n"));
    CHECK(std::atoi(o.out.c_str()) > 100);
    CHECK(has(o.err, "gsu: cuMemGetInfo: the place of the result is a null pointer"));
}

TEST_CASE("no kernel leaves nothing behind that looks like one") { right("no_function"); }

TEST_CASE("each kind of trap has the API's error")
{
    const std::string said = right("trap_kinds", 1);
    for (const char* name : {"MisalignedAddress", "IllegalAddress", "InvalidAddressSpace",
                             "InvalidPc", "HardwareStackError"})
        CHECK(has(said, std::string("(cudaError") + name + ")"));
}

TEST_CASE(
    "shared memory of a module counts where a kernel names it; more than there is gets a line")
{
    const std::string said = right("module_shared");
    CHECK(has(said,
              "gsu: cuFuncSetAttribute: 232448 bytes of dynamic shared memory for uses, which "
              "declares 150000: at most 82448 beside them"));
}

TEST_CASE("an access just below an allocation is named after it")
{
    const std::string said = right("below_allocation", 1);
    CHECK(has(said, "(4 bytes before cudaMalloc at cuda_program+0x"));
}

TEST_CASE("nodes of graphs keep what they launch") { right("kept_by_graphs"); }

TEST_CASE("a function of the program that throws costs nothing but its own call")
{
    const std::string said = right("host_throws");
    CHECK(has(said, "a function of the program threw an exception: on purpose"));
}

TEST_CASE("a function that a call runs may wait for the device and for other threads")
{
    right("occupancy_waits");
}

TEST_CASE("calls behind all destructors find what the program made")
{
    const Outcome o = exec("late_calls");
    INFO(o.out + o.err);
    CHECK(o.out == "ok\nlate 1\n");
}

TEST_CASE("the linker's library: PTX stays PTX, the rest is refused with a line")
{
    const std::string said = right("linker_library");
    CHECK(has(said, "gsu: nvJitLinkAddData: 'ltoir' is machine code, an object or LTO-IR"));
    CHECK(has(said, "gsu: nvJitLinkCreate: option '-strange' is not known"));
}
