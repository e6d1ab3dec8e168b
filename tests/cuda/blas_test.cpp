// Programs that compare with the linear algebra library find one; a note says that no kernel computed its results.
#include "catch.hpp"
#include "program.hpp"

using program::exec;
using program::has;

TEST_CASE("products of matrices on the host, in the order of their stream; the rest by name")
{
    for (const char* options :
         {"--unit golden", "--unit golden --seed 2", "--unit golden --seed 3"}) {
        const process::Outcome o = exec("linear_algebra", options);
        INFO(options << '\n' << o.out + o.err);
        CHECK(o.code == 0);
        CHECK(has(o.out, "ok\n"));
        const std::string line = "gsu: cublasSgemm_v2: computed on the host, not by a kernel";
        CHECK(has(o.err, line + " (first: m 19, n 10, k 13, CUDA_R_32F to CUDA_R_32F)\n"));
        CHECK(o.err.find(line) == o.err.rfind(line));  // once
        CHECK(has(o.err, "cublasSaxpy_v2 is not supported"));
        CHECK(has(o.err, "CUDA_R_32F times CUDA_R_16BF to CUDA_R_32F is not supported"));
        CHECK(has(o.err, "lda is 7: columns of a have 8 elements"));
        CHECK(has(o.err, "gsu: 2 launches of 1 kernel (2 pass)"));
    }
}
