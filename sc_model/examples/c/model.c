/* A user's warp model that is synchronized by GSU, in C99: one CTA of four warps on one SM.
 *   1. Named barrier: the warps come at different times to bar.sync 1; all leave together, not before the last has come.
 *   2. mbarrier with bytes: warp 0 arrives and expects 256 bytes; warps 1 to 3 wait; a "copy" brings the bytes in two halves.
 * Checks the results and ends with 1 if anything is not as it should be. Arguments: the unit, the number of bytes to bring
 * (anything but 256 must fail), and a file for waves (FST). Licence: Apache-2.0. */
#include <gsu.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARPS = 4, BARRIER = 1, MBARRIER = 0x40, BYTES = 256, PATIENCE = 2000 };
#define ALL 0xffffffffu

/* State of the model's warps; the callbacks write it. */
typedef struct {
    unsigned open;     /* bit per warp with an unanswered request */
    unsigned woken;    /* bit per warp whose wait came back true */
    uint64_t released; /* cycle of the barrier's release */
    uint64_t flipped;  /* cycle in which the mbarrier's phase completed */
    int free;          /* the CTA is gone */
} Model;

static void check(int good, const char* what)
{
    if (good) return;
    fprintf(stderr, "model.c: NOT as it should be: %s\n", what);
    exit(1);
}

static void call(gsu_status status, const char* what)
{
    if (status >= 0) return;
    fprintf(stderr, "model.c: %s: %s: %s\n", what, gsu_status_name(status), gsu_last_error());
    exit(1);
}

static void onResponse(void* user, const gsu_response* r)
{
    Model* m = user;
    m->open &= ~(1u << r->warp);
    if (r->pred == ALL) m->woken |= 1u << r->warp;
}

static void onRelease(void* user, const gsu_release* r)
{
    Model* m = user;
    m->open &= ~r->warps;
    m->released = r->cycle;
}

static void onCommit(void* user, const gsu_commit* c)
{
    Model* m = user;
    check(!c->refused, "a request was refused");
    if (c->part == GSU_PART_MBARRIER && c->flip) m->flipped = c->cycle;
}

/* Prints the errors of the requests, with the ids of the violated rules. */
static void onFinding(void* user, const gsu_finding* f)
{
    (void)user;
    fprintf(stderr, "model.c: %s: %s in cycle %" PRIu64 ", warp %u, %s\n", f->rule, f->message,
            f->cycle, (unsigned)f->warp, gsu_op_name(f->op));
    check(f->severity != GSU_SEVERITY_ERROR, "a rule is broken");
}

static void onFree(void* user, const gsu_cta_free* f)
{
    (void)f;
    ((Model*)user)->free = 1;
}

static void step(gsu_unit* unit)
{
    const char* text;
    call(gsu_unit_step(unit), "step");
    if (gsu_unit_fault(unit, NULL, &text) == 1) check(0, text);
}

static uint64_t now(const gsu_unit* unit)
{
    uint64_t cycle = 0;
    call(gsu_unit_now(unit, &cycle), "now");
    return cycle;
}

/* Gives a request of a whole warp, or of its lane 0, as soon as the unit takes it; the warp's number is its tag. */
static void give(gsu_unit* unit, Model* m, unsigned warp, unsigned op, uint32_t lanes,
                 uint64_t data)
{
    gsu_request r = GSU_INIT(gsu_request);
    int i;
    r.op = (uint8_t)op;
    r.warp = (uint8_t)warp;
    r.tag = (uint16_t)warp;
    r.lanes = lanes;
    r.arg0 = BARRIER;
    for (i = 0; i < 32; ++i) {
        r.addr[i] = MBARRIER;
        r.data[i] = data;
    }
    while (!gsu_unit_can_present(unit, 0)) step(unit);
    m->open |= 1u << warp;
    call(gsu_unit_present(unit, &r), "present");
}

static void await(gsu_unit* unit, const Model* m, unsigned warps)
{
    int n;
    for (n = 0; (m->open & warps) != 0 && n < PATIENCE; ++n) step(unit);
    check((m->open & warps) == 0, "an answer is missing");
}

static void namedBarrier(gsu_unit* unit, Model* m)
{
    unsigned warp;
    uint64_t last = 0;
    int n;
    for (warp = 0; warp < WARPS; ++warp) {
        give(unit, m, warp, GSU_OP_BAR_SYNC, ALL, 0);
        last = now(unit);
        for (n = 0; n < 50; ++n) step(unit); /* the warp's work */
        check(warp == WARPS - 1 || m->open == (2u << warp) - 1, "a warp left the barrier early");
    }
    await(unit, m, ALL);
    check(m->released >= last, "the release came before the last arrival");
    printf("bar.sync of %d warps: last arrival in cycle %" PRIu64 ", release in cycle %" PRIu64
           "\n",
           WARPS, last, m->released);
}

static void mbarrier(gsu_unit* unit, Model* m, uint32_t bytes)
{
    gsu_async half = GSU_INIT(gsu_async);
    unsigned warp;
    int n;
    give(unit, m, 0, GSU_OP_MBAR_INIT, 1, 1);
    await(unit, m, ALL);
    give(unit, m, 0, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 1, BYTES);
    await(unit, m, ALL);
    m->woken = 0;
    for (warp = 1; warp < WARPS; ++warp) give(unit, m, warp, GSU_OP_MBAR_TRY_WAIT_PARITY, ALL, 0);
    half.kind = GSU_ASYNC_COMPLETE_TX;
    half.addr = MBARRIER;
    half.amount = bytes / 2;
    for (n = 0; n < 100; ++n) step(unit);
    call(gsu_unit_notify(unit, &half), "notify");
    for (n = 0; n < 100; ++n) step(unit);
    check(m->woken == 0 && m->flipped == 0, "the phase completed with half of the bytes");
    call(gsu_unit_notify(unit, &half), "notify");
    await(unit, m, ALL);
    check(m->woken == 0xe, "not every waiting warp saw the phase complete");
    printf("mbarrier: phase completed by the second half of the bytes in cycle %" PRIu64 "\n",
           m->flipped);
}

static gsu_unit* create(const char* name, Model* model)
{
    gsu_callbacks callbacks = GSU_INIT(gsu_callbacks);
    gsu_options options = GSU_INIT(gsu_options);
    gsu_unit* unit;
    callbacks.user = model;
    callbacks.on_response = onResponse;
    callbacks.on_release = onRelease;
    callbacks.on_commit = onCommit;
    callbacks.on_cta_free = onFree;
    callbacks.on_finding = onFinding;
    options.abi = GSU_ABI;
    options.unit = name;
    options.sms = 1;
    options.callbacks = &callbacks;
    call(gsu_unit_create(&options, &unit), "create");
    return unit;
}

/* All warps exit; the slot is free some clocks later. */
static void endCta(gsu_unit* unit, const Model* model)
{
    unsigned warp;
    int n;
    for (warp = 0; warp < WARPS; ++warp) {
        gsu_exit leave = GSU_INIT(gsu_exit);
        leave.warp = (uint8_t)warp;
        leave.lanes = ALL;
        call(gsu_unit_exit(unit, &leave), "exit");
    }
    for (n = 0; !model->free && n < PATIENCE; ++n) step(unit);
    check(model->free, "the CTA did not end");
}

int main(int argc, char** argv)
{
    Model model;
    gsu_launch launch = GSU_INIT(gsu_launch);
    gsu_unit* unit;
    memset(&model, 0, sizeof model);
    unit = create(argc > 1 ? argv[1] : "lockstep", &model);
    if (argc > 3) { /* for GTKWave */
        gsu_waves waves = GSU_INIT(gsu_waves);
        waves.path = argv[3];
        call(gsu_unit_open_waves(unit, &waves), "open_waves");
    }
    launch.threads = 32 * WARPS;
    launch.smem_size = 1024;
    check(gsu_unit_launch(unit, &launch) == 1, "the launch was not taken");
    step(unit);

    namedBarrier(unit, &model);
    mbarrier(unit, &model, argc > 2 ? (uint32_t)atoi(argv[2]) : BYTES);

    endCta(unit, &model);
    call(gsu_unit_destroy(unit), "destroy");
    puts("as it should be");
    return 0;
}
