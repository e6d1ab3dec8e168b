/* A cluster of two CTAs, each of one warp on an SM of its own, synchronized by GSU, in C99.
 *   1. Routes, launches, and the cluster barrier, after which CTA 1's mbarrier is initialised for both.
 *   2. st.async: 16 lanes of CTA 0 store 16 bytes each into CTA 1's shared memory; each lane's bytes complete on CTA 1's mbarrier.
 *   3. A remote arrival of CTA 0 completes the next phase.
 *   4. A wait that the unit refuses: the warp is stopped, because its loop would get the same answer forever.
 * Checks the results and ends with 1 if anything is not as it should be. Arguments: the unit, and the number of bytes that the lanes
 * store together (anything but 256 must fail). Licence: Apache-2.0. */
#include <gsu.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CTAS = 2, CLUSTER = 3, LANES = 16, BYTES = 256, MBARRIER = 0x40, DATA = 7, PATIENCE = 4000 };
#define ALL 0xffffffffu
/* {rank [31:24], byte offset in that CTA's shared memory [23:0]} */
#define ADDRESS(rank, offset) ((uint32_t)(rank) << 24 | (offset))

/* State of the model's warps, one for each SM; the callbacks write it. */
typedef struct {
    int open[CTAS];      /* an unanswered request */
    uint32_t pred[CTAS]; /* its result, of a wait */
    int stopped[CTAS];   /* a request was refused: the warp executes no more */
    uint32_t stored;     /* lanes whose data the driver has performed */
    int free;            /* CTAs that are gone */
    int findings;        /* rules that were broken */
} Model;

static void check(int good, const char* what)
{
    if (good) return;
    fprintf(stderr, "cluster.c: NOT as it should be: %s\n", what);
    exit(1);
}

static void call(gsu_status status, const char* what)
{
    if (status >= 0) return;
    fprintf(stderr, "cluster.c: %s: %s: %s\n", what, gsu_status_name(status), gsu_last_error());
    exit(1);
}

static void onResponse(void* user, const gsu_response* r)
{
    Model* m = user;
    if (r->last) m->open[r->sm] = 0;
    m->pred[r->sm] |= r->pred;
    /* A wait may return false, but a refusal is misuse: it has changed nothing and would change nothing next time. */
    if (r->cause == GSU_CAUSE_REFUSED) m->stopped[r->sm] = 1;
}

static void onRelease(void* user, const gsu_release* r)
{
    Model* m = user;
    m->open[r->sm] = 0;
}

/* The bytes of one lane of st.async have arrived at SM `sm`. They are written now, before their completion is reported. The tag names the sender:
 * the model gives a tag to one request with data at a time, whatever its SM. */
static void onDelivered(void* user, const gsu_delivered* d)
{
    Model* m = user;
    check(d->sm == 1 && d->tag == DATA && (m->stored & d->lanes) == 0, "data of another request");
    m->stored |= d->lanes;
}

static void onFinding(void* user, const gsu_finding* f)
{
    Model* m = user;
    printf("finding %s: %s (SM %u, cycle %" PRIu64 ", %s)\n", f->rule, f->message, (unsigned)f->sm,
           f->cycle, gsu_op_name(f->op));
    ++m->findings;
}

static void onFree(void* user, const gsu_cta_free* f)
{
    (void)f;
    ++((Model*)user)->free;
}

static void step(gsu_unit* unit)
{
    const char* text;
    call(gsu_unit_step(unit), "step");
    if (gsu_unit_fault(unit, NULL, &text) == 1) check(0, text);
}

/* Gives a request of the warp on SM `sm` as soon as the unit takes it. `data` is each lane's: a count, a parity, or bytes. */
static void give(gsu_unit* unit, Model* m, unsigned sm, unsigned op, uint32_t lanes, uint32_t addr,
                 uint64_t data)
{
    gsu_request r = GSU_INIT(gsu_request);
    int i;
    r.op = (uint8_t)op;
    r.sm = (uint8_t)sm;
    r.tag = op == GSU_OP_ST_ASYNC ? DATA : 0;
    r.lanes = lanes;
    r.remote = addr >> 24 != sm; /* here the CTA on SM n has rank n */
    r.scope = GSU_SCOPE_CLUSTER;
    for (i = 0; i < 32; ++i) {
        r.addr[i] = addr;
        r.data[i] = data;
    }
    check(!m->stopped[sm], "a warp that was stopped goes on");
    while (!gsu_unit_can_present(unit, sm)) step(unit);
    m->open[sm] = 1;
    m->pred[sm] = 0;
    call(gsu_unit_present(unit, &r), "present");
}

static void await(gsu_unit* unit, const Model* m, unsigned sm)
{
    int n;
    for (n = 0; m->open[sm] && n < PATIENCE; ++n) step(unit);
    check(!m->open[sm], "an answer is missing");
}

static void launch(gsu_unit* unit)
{
    unsigned rank;
    for (rank = 0; rank < CTAS; ++rank) { /* all routes before the first launch */
        gsu_route route = GSU_INIT(gsu_route);
        route.cluster = CLUSTER;
        route.rank = route.sm = (uint8_t)rank;
        route.ctas = CTAS;
        call(gsu_unit_route(unit, &route), "route");
    }
    for (rank = 0; rank < CTAS; ++rank) {
        gsu_launch start = GSU_INIT(gsu_launch);
        int n;
        start.sm = start.rank = (uint8_t)rank;
        start.cluster = CLUSTER;
        start.ctas = CTAS;
        start.threads = 32;
        start.smem_size = 1024;
        for (n = 0; gsu_unit_launch(unit, &start) == 0 && n < PATIENCE; ++n) step(unit);
        check(n < PATIENCE, "the launch was not taken");
        step(unit);
    }
}

/* barrier.cluster.arrive and .wait of both CTAs; CTA 1 comes later. */
static void clusterBarrier(gsu_unit* unit, Model* m)
{
    unsigned sm;
    uint64_t last = 0, left = 0;
    int n;
    for (sm = 0; sm < CTAS; ++sm) {
        give(unit, m, sm, GSU_OP_CLUSTER_ARRIVE, ALL, ADDRESS(sm, 0), 0);
        await(unit, m, sm);
        call(gsu_unit_now(unit, &last), "now");
        give(unit, m, sm, GSU_OP_CLUSTER_WAIT, ALL, ADDRESS(sm, 0), 0);
        for (n = 0; sm < CTAS - 1 && n < 200; ++n) step(unit);
        check(sm == CTAS - 1 || m->open[sm], "a CTA left the cluster barrier early");
    }
    for (sm = 0; sm < CTAS; ++sm) await(unit, m, sm);
    call(gsu_unit_now(unit, &left), "now");
    printf("barrier.cluster: CTA 1 arrived by cycle %" PRIu64 ", both left by cycle %" PRIu64 "\n",
           last, left);
}

/* Stores `bytes` bytes from the lanes of CTA 0 together; CTA 1 expects BYTES. */
static void remoteData(gsu_unit* unit, Model* m, uint32_t bytes)
{
    const uint32_t lanes = (1u << LANES) - 1;
    give(unit, m, 1, GSU_OP_MBAR_ARRIVE_EXPECT_TX, 1, ADDRESS(1, MBARRIER), BYTES);
    await(unit, m, 1);
    give(unit, m, 1, GSU_OP_MBAR_TRY_WAIT_PARITY, 1, ADDRESS(1, MBARRIER), 0);
    give(unit, m, 0, GSU_OP_ST_ASYNC, lanes, ADDRESS(1, MBARRIER), bytes / LANES);
    await(unit, m, 0);
    await(unit, m, 1);
    check(m->pred[1] == 1, "the wait did not see the phase complete");
    check(m->stored == lanes, "the phase completed before all data were there");
    printf("st.async: %u lanes of %u bytes\n", (unsigned)LANES, (unsigned)(bytes / LANES));
}

static void remoteArrival(gsu_unit* unit, Model* m)
{
    give(unit, m, 1, GSU_OP_MBAR_TRY_WAIT_PARITY, 1, ADDRESS(1, MBARRIER), 1);
    give(unit, m, 0, GSU_OP_MBAR_ARRIVE, 1, ADDRESS(1, MBARRIER), 1);
    await(unit, m, 0);
    await(unit, m, 1);
    check(m->pred[1] == 1, "the wait did not see the remote arrival");
}

/* A try_wait at another CTA's mbarrier, which is not allowed, in the loop of a kernel: while (!try_wait()). */
static void misuse(gsu_unit* unit, Model* m)
{
    int rounds = 0;
    while (!m->stopped[0] && m->pred[0] == 0 && rounds < PATIENCE) {
        give(unit, m, 0, GSU_OP_MBAR_TRY_WAIT_PARITY, 1, ADDRESS(1, MBARRIER), 0);
        await(unit, m, 0);
        ++rounds;
    }
    check(m->stopped[0] && rounds == 1, "the refused wait did not stop its warp");
    check(m->findings == 1, "the refused wait is no finding");
}

static gsu_unit* create(const char* name, Model* model)
{
    gsu_callbacks callbacks = GSU_INIT(gsu_callbacks);
    gsu_options options = GSU_INIT(gsu_options);
    gsu_unit* unit;
    callbacks.user = model;
    callbacks.on_response = onResponse;
    callbacks.on_release = onRelease;
    callbacks.on_delivered = onDelivered;
    callbacks.on_cta_free = onFree;
    callbacks.on_finding = onFinding;
    options.abi = GSU_ABI;
    options.unit = name;
    options.sms = CTAS;
    options.callbacks = &callbacks;
    call(gsu_unit_create(&options, &unit), "create");
    return unit;
}

/* Both warps exit, one of them by an error; a slot is free when all CTAs of the cluster have ended. */
static void endCluster(gsu_unit* unit, const Model* m)
{
    unsigned sm;
    int n;
    for (sm = 0; sm < CTAS; ++sm) {
        gsu_exit leave = GSU_INIT(gsu_exit);
        leave.sm = (uint8_t)sm;
        leave.lanes = ALL;
        leave.trap = (uint8_t)m->stopped[sm];
        call(gsu_unit_exit(unit, &leave), "exit");
    }
    for (n = 0; m->free < CTAS && n < PATIENCE; ++n) step(unit);
    check(m->free == CTAS, "the cluster did not end");
}

int main(int argc, char** argv)
{
    Model model;
    gsu_unit* unit;
    memset(&model, 0, sizeof model);
    unit = create(argc > 1 ? argv[1] : "lockstep", &model);
    launch(unit);
    give(unit, &model, 1, GSU_OP_MBAR_INIT, 1, ADDRESS(1, MBARRIER), 1);
    await(unit, &model, 1);
    clusterBarrier(unit, &model);
    remoteData(unit, &model, argc > 2 ? (uint32_t)atoi(argv[2]) : BYTES);
    remoteArrival(unit, &model);
    misuse(unit, &model);
    endCluster(unit, &model);
    call(gsu_unit_destroy(unit), "destroy");
    puts("as it should be");
    return 0;
}
