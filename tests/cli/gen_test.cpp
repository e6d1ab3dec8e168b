// `gsu gen`: every pattern under several seeds in lockstep, the lowering and the handshake of compilers literally and mended, bad options.
#include "gen/patterns.hpp"
#include "gsu_process.hpp"

namespace {

/// Generates into a folder of its own; the note lines.
std::string generate(const process::Folder& folder, const std::string& arguments)
{
    const auto made = process::runGsu("gen " + arguments + " --output '" + (folder / "") + "'");
    INFO(arguments << ": " << made.err);
    REQUIRE(made.code == 0);
    return made.out;
}

process::Outcome run(const process::Folder& folder, const std::string& name, unsigned seed,
                     const std::string& more = "")
{
    return process::runGsu("run '" + (folder / (name + ".launch.json")) + "' --seed " +
                           std::to_string(seed) + " --unit lockstep " + more);
}

/// Generated, then run under three seeds as expected; the report of the last.
std::string passes(const std::string& name, const std::string& options,
                   const std::string& more = "")
{
    const process::Folder folder;
    generate(folder, name + ' ' + options);
    std::string report;
    for (const unsigned seed : {1u, 2u, 3u}) {
        const auto ran = run(folder, name, seed, more);
        CAPTURE(name, options, more, seed, ran.out, ran.err);
        CHECK(ran.code == 0);
        report = ran.out;
    }
    return report;
}

bool has(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("every pattern passes in lockstep under several seeds and sizes",
          "[cli][gen][GDC-005][GDC-006][CLC-003][CLC-004][CLC-009][CLC-014][CLC-025][CLC-028][EX-"
          "CLC-01][EX-"
          "GDC-01][HS-026]")
{
    passes("ring", "");
    passes("ring", "--stages 3 --rounds 7 --bytes 256 --consumers 1 --ctas 4 --seed 9");
    passes("ring", "--stages 1 --rounds 3 --bytes 16 --consumers 1");
    passes("commitring", "");
    passes("commitring", "--stages 1 --rounds 3 --columns 64 --seed 77");
    passes("commitring", "--stages 3 --rounds 11 --columns 8");
    passes("named", "--pairs 7 --rounds 20 --seed 3");
    passes("alltoall", "--ctas 8 --rounds 4");
    passes("reduce", "--shape flat --ctas 5");
    passes("reduce", "--shape tree --ctas 8 --threads 96");
    passes("steal", "--tiles 70 --threads 64");
    passes("steal", "--tiles 80 --threads 64 --ctas 2");
    passes("pipeline", "--launches 4 --ctas 3 --threads 32 --words 500");
}

TEST_CASE("the plain barrier by scope and target",
          "[cli][gen][HS-001][HS-002][HS-003][HS-004][HS-005][HS-006][HS-028][EX-HS-01]")
{
    using List = std::vector<std::string>;
    const std::string fence = "nvvm.fence.mbarrier.init", barrier = "nvvm.barrier",
                      arrive = "nvvm.cluster.arrive.relaxed", wait = "nvvm.cluster.wait";
    for (const unsigned sm : {80u, 89u}) {
        CHECK(gsu::gen::plainBarrier("CTA", sm) == List{barrier});
        CHECK(gsu::gen::plainBarrier("Cluster", sm) == List{arrive, wait});
        CHECK(gsu::gen::plainBarrier("ClusterAligned", sm) == List{barrier, arrive, wait});
    }
    for (const unsigned sm : {90u, 100u}) {
        CHECK(gsu::gen::plainBarrier("CTA", sm) == List{fence, barrier});
        CHECK(gsu::gen::plainBarrier("Cluster", sm) == List{fence, arrive, wait});
        CHECK(gsu::gen::plainBarrier("ClusterAligned", sm) == List{fence, barrier, arrive, wait});
    }
    const auto table = process::runGsu("gen lowering");
    CHECK(table.code == 0);
    CHECK(has(table.out, "fence.mbarrier.init, barrier, cluster.arrive.relaxed, cluster.wait"));
    CHECK(has(table.out, "A-20"));
    const process::Folder folder;
    generate(folder, "handshake --scope Cluster");
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    CHECK(has(ptx, "fence.mbarrier_init.release.cluster;"));
}

TEST_CASE("cluster scopes below sm_90 are refused, the scope of a CTA is not", "[cli][gen][HS-007]")
{
    for (const char* scope : {"Cluster", "ClusterAligned"}) {
        const process::Folder folder;
        const auto refused = process::runGsu("gen handshake --sm 89 --scope " + std::string(scope) +
                                             " --output '" + (folder / "") + "'");
        CHECK(refused.code == 2);
        CHECK(has(refused.err, "HS-007"));
        CHECK_FALSE(process::fs::exists(folder / "handshake.ptx"));
    }
    passes("handshake", "--sm 80 --scope CTA --ctas 1");
}

TEST_CASE("the mended handshake passes, near and far",
          "[cli][gen][HS-010][HS-012][HS-016][HS-017][HS-019][HS-020][HS-022][HS-027][EX-HS-02][EX-"
          "HS-03]")
{
    for (const std::string far : {"", "--set dsm_hop=3000"}) {
        passes("handshake", "--scope Cluster --sm 90 --ctas 4 --tx-bytes 128", far);
        passes("handshake", "--scope ClusterAligned --ctas 2 --tx-bytes 64 --release arrive", far);
    }
    const process::Folder folder;
    generate(folder, "handshake --ctas 2");
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    CHECK(has(ptx, ".version 8.6"));
    CHECK(has(ptx, "mbarrier.expect_tx.relaxed.cluster.b64 [%rd3], 128;"));
    CHECK(has(ptx, "barrier.cluster.arrive.relaxed.aligned;"));
    generate(folder, "handshake --ctas 2 --release arrive --force");
    CHECK(has(process::slurp(folder / "handshake.ptx"), "barrier.cluster.arrive.aligned;"));
}

TEST_CASE("the literal handshake is unordered: near it passes, far the report says why not",
          "[cli][gen][HS-008][HS-011][HS-021][A-25]")
{
    const process::Folder folder;
    const std::string notes = generate(folder, "handshake --form literal");
    CHECK(has(notes, "unordered"));
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    CHECK(has(ptx, "*unordered*"));
    const std::size_t fence = ptx.find("fence.release.cluster;\n    mbarrier.expect_tx");
    CHECK(fence != std::string::npos);
    CHECK(run(folder, "handshake", 1).code == 0);
    const auto far = run(folder, "handshake", 1, "--set dsm_hop=3000");
    CHECK(far.code == 1);
    CHECK(has(far.out, "MBW-019"));
    // A releasing arrive orders it without a fence.
    generate(folder, "handshake --form literal --release arrive --force");
    CHECK_FALSE(has(process::slurp(folder / "handshake.ptx"), "fence.release.cluster;"));
    CHECK(run(folder, "handshake", 1, "--set dsm_hop=3000").code == 0);
}

TEST_CASE("arriving before publishing is a race", "[cli][gen][HS-013][EX-HS-05]")
{
    const process::Folder folder;
    CHECK(has(generate(folder, "handshake --form literal --order arrive-first"), "race (HS-013)"));
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    CHECK(ptx.rfind("barrier.cluster.arrive.relaxed.aligned;") < ptx.find("mbarrier.expect_tx."));
    const auto far = run(folder, "handshake", 1, "--set dsm_hop=3000");
    CHECK(far.code == 1);
    CHECK(has(far.out, "MBW-019"));
}

TEST_CASE("one CTA only flips the phase; without peers there is the tail alone",
          "[cli][gen][HS-009][EX-HS-04]")
{
    passes("handshake", "--ctas 1");
    passes("handshake", "--peers none");
    const process::Folder folder;
    generate(folder, "handshake --ctas 1");
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    CHECK_FALSE(has(ptx, "mapa"));
    CHECK_FALSE(has(ptx, "expect_tx"));
    CHECK(has(ptx, "xor.b32 %r4, %r4, 1;"));
}

TEST_CASE("an even number of peers cancels the literal flip, which is told",
          "[cli][gen][HS-014][HS-015][EX-HS-07]")
{
    const process::Folder folder;
    CHECK(has(generate(folder, "handshake --form literal --ctas 3"), "phase trap (HS-015"));
    const std::string ptx = process::slurp(folder / "handshake.ptx");
    unsigned flips = 0;
    for (std::size_t at = ptx.find("xor.b32 %r4"); at != std::string::npos;
         at = ptx.find("xor.b32 %r4", at + 1))
        ++flips;
    CHECK(flips == 2);
    CHECK(run(folder, "handshake", 1).code ==
          0);  // the launch file expects the phase that it began with
    CHECK_FALSE(has(generate(folder, "handshake --form literal --ctas 4 --force"), "HS-015"));
    CHECK(run(folder, "handshake", 1).code == 0);  // and here the other one
    CHECK(has(generate(folder, "handshake --form literal --threads 64 --force"), "HS-014"));
}

TEST_CASE("other bytes than expected hang, and both numbers are named",
          "[cli][gen][HS-018][HS-029][EX-HS-06]")
{
    const process::Folder folder;
    const std::string few = generate(folder, "handshake --ctas 2 --tx-bytes 128 --deliver 64");
    CHECK(has(few, "128 bytes are expected of each peer, 64 delivered"));
    const auto hangs = run(folder, "handshake", 1);
    CHECK(hangs.code == 0);
    CHECK(has(hangs.out, "64 bytes of tx outstanding"));
    CHECK(has(generate(folder, "handshake --ctas 2 --form literal --publishers all --force"),
              "all 32 threads publish"));
    const auto all = run(folder, "handshake", 1);
    CHECK(all.code == 0);
    CHECK(has(all.out, std::to_string(31 * 128) + " bytes of tx outstanding"));
}

TEST_CASE("bad options are refused with their name, and nothing is written", "[cli][gen]")
{
    const process::Folder folder;
    for (const std::string bad :
         {"ring --stages 0", "ring --bytes 20", "ring --stages 16 --bytes 65536", "ring --stages x",
          "reduce --shape star", "reduce --shape tree --ctas 6", "steal --tiles 9 --ctas 2",
          "pipeline --words 3", "named --pairs 8", "handshake --scope GPU", "handshake --scope CTA",
          "handshake --tx-bytes 24", "handshake --deliver 256", "handshake --threads 48",
          "handshake --publishers all", "ring --name a/b", "spiral", ""}) {
        const auto refused = process::runGsu("gen " + bad + " --output '" + (folder / "") + "'");
        CAPTURE(bad, refused.out, refused.err);
        CHECK(refused.code == 2);
        CHECK(refused.err.size() > 10);
        CHECK(process::fs::is_empty(folder / ""));
    }
    generate(folder, "named");
    const auto again = process::runGsu("gen named --output '" + (folder / "") + "'");
    CHECK(again.code == 2);
    CHECK(has(again.err, "--force"));
}
