/* The C half of gsu_dpi_pkg.sv: one call of gsu.h each, with plain arguments. C99 and C++11, for simulators compile it as either. No state but the
 * unit's and the text of its last event. Licence: Apache-2.0. */
#include <gsu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_SETTINGS = 64 };

typedef struct {
    gsu_unit* unit;
    char text[512]; /* of the last finding that was taken */
} Bridge;

static char lastError[512];

static gsu_unit* unitOf(void* bridge) { return bridge != NULL ? ((Bridge*)bridge)->unit : NULL; }

static int told(const char* text)
{
    snprintf(lastError, sizeof lastError, "%s", text);
    return GSU_E_ARGUMENT;
}

/* A number that does not fit the C structure would change there, so it is refused before. */
static int fits(const char* what, int value, int most)
{
    char text[128];
    if (value >= 0 && value <= most) return 1;
    snprintf(text, sizeof text, "%s is %d, it must be 0..%d", what, value, most);
    told(text);
    return 0;
}

static int result(gsu_status status)
{
    if (status < 0) told(gsu_last_error());
    return status;
}

const char* gsu_dpi_last_error(void) { return lastError; }

void* gsu_dpi_create(const char* unit, const char* preset, const char* settings, int sms,
                     int assertions)
{
    gsu_options options = GSU_INIT(gsu_options);
    const char* list[MAX_SETTINGS + 1] = {NULL};
    char* words = (char*)malloc(strlen(settings) + 1);
    Bridge* bridge = (Bridge*)calloc(1, sizeof(Bridge));
    int n = 0, status = GSU_E_ARGUMENT;
    if (words == NULL || bridge == NULL) {
        told("out of memory");
    } else if (fits("sms", sms, 256)) {
        char* word;
        strcpy(words, settings);
        for (word = strtok(words, " "); word != NULL && n < MAX_SETTINGS;
             word = strtok(NULL, " ")) {
            list[n++] = word;
        }
        options.abi = GSU_ABI;
        options.unit = unit[0] != '\0' ? unit : NULL;
        options.preset = preset[0] != '\0' ? preset : NULL;
        options.settings = list;
        options.sms = (uint32_t)sms;
        options.assertions = assertions != 0;
        options.events = GSU_EVENTS_RESPONSE | GSU_EVENTS_RELEASE | GSU_EVENTS_COMMIT |
                         GSU_EVENTS_DELIVERED | GSU_EVENTS_CTA_FREE | GSU_EVENTS_FINDING |
                         GSU_EVENTS_DROPPED | GSU_EVENTS_GRID | GSU_EVENTS_CANCEL;
        status = word != NULL ? told("more than 64 settings")
                              : result(gsu_unit_create(&options, &bridge->unit));
    }
    free(words);
    if (status < 0) {
        free(bridge);
        return NULL;
    }
    return bridge;
}

int gsu_dpi_destroy(void* bridge)
{
    const int status = result(gsu_unit_destroy(unitOf(bridge)));
    if (status >= 0) free(bridge);
    return status;
}

int gsu_dpi_step(void* bridge) { return result(gsu_unit_step(unitOf(bridge))); }

/* All ones after an error: such a cycle never comes. */
unsigned long long gsu_dpi_now(void* bridge)
{
    uint64_t cycle = GSU_NEVER;
    result(gsu_unit_now(unitOf(bridge), &cycle));
    return cycle;
}

unsigned long long gsu_dpi_quiet_until(void* bridge)
{
    uint64_t cycle = GSU_NEVER;
    result(gsu_unit_quiet_until(unitOf(bridge), &cycle));
    return cycle;
}

int gsu_dpi_skip_to(void* bridge, unsigned long long cycle)
{
    return result(gsu_unit_skip_to(unitOf(bridge), cycle));
}

int gsu_dpi_launch(void* bridge, int sm, int cta, int warpBase, int threads, unsigned smemBase,
                   unsigned smemSize, int cluster, int rank, int ctas, int grid)
{
    gsu_launch launch = GSU_INIT(gsu_launch);
    if (!fits("sm", sm, 255) || !fits("cta", cta, 255) || !fits("warp_base", warpBase, 255) ||
        !fits("threads", threads, 65535) || !fits("cluster", cluster, 255) ||
        !fits("rank", rank, 255) || !fits("ctas", ctas, 255) || !fits("grid", grid, 255)) {
        return GSU_E_ARGUMENT;
    }
    launch.grid = (uint8_t)grid;
    launch.sm = (uint8_t)sm, launch.cta = (uint8_t)cta;
    launch.warp_base = (uint8_t)warpBase;
    launch.threads = (uint16_t)threads;
    launch.smem_base = smemBase;
    launch.smem_size = smemSize;
    launch.cluster = (uint8_t)cluster, launch.rank = (uint8_t)rank, launch.ctas = (uint8_t)ctas;
    return result(gsu_unit_launch(unitOf(bridge), &launch));
}

int gsu_dpi_grid(void* bridge, int grid, int what, unsigned ctas, int prereqs)
{
    gsu_grid start = GSU_INIT(gsu_grid);
    if (!fits("grid", grid, 255) || !fits("prereqs", prereqs, 65535) || !fits("what", what, 255)) {
        return GSU_E_ARGUMENT;
    }
    start.grid = (uint8_t)grid, start.what = (uint8_t)what;
    start.prereqs = (uint16_t)prereqs, start.ctas = ctas;
    return result(gsu_unit_grid(unitOf(bridge), &start));
}

int gsu_dpi_route(void* bridge, int cluster, int rank, int sm, int cta, int ctas)
{
    gsu_route route = GSU_INIT(gsu_route);
    if (!fits("cluster", cluster, 255) || !fits("rank", rank, 255) || !fits("sm", sm, 255) ||
        !fits("cta", cta, 255) || !fits("ctas", ctas, 255)) {
        return GSU_E_ARGUMENT;
    }
    route.cluster = (uint8_t)cluster;
    route.rank = (uint8_t)rank;
    route.sm = (uint8_t)sm, route.cta = (uint8_t)cta;
    route.ctas = (uint8_t)ctas;
    return result(gsu_unit_route(unitOf(bridge), &route));
}

int gsu_dpi_exit(void* bridge, int sm, int cta, int warp, unsigned lanes)
{
    gsu_exit leave = GSU_INIT(gsu_exit);
    if (!fits("sm", sm, 255) || !fits("cta", cta, 255) || !fits("warp", warp, 255)) {
        return GSU_E_ARGUMENT;
    }
    leave.sm = (uint8_t)sm, leave.cta = (uint8_t)cta, leave.warp = (uint8_t)warp;
    leave.lanes = lanes;
    return result(gsu_unit_exit(unitOf(bridge), &leave));
}

int gsu_dpi_can_present(void* bridge, int sm)
{
    return result(gsu_unit_can_present(unitOf(bridge), (uint32_t)sm));
}

int gsu_dpi_present(void* bridge, int op, int sm, int cta, int warp, int tag, unsigned lanes,
                    unsigned arg0, unsigned arg1, unsigned pred, int sem, int scope, int kind,
                    int flags, const unsigned* addr, const unsigned long long* data,
                    const unsigned* limit)
{
    gsu_request r = GSU_INIT(gsu_request);
    int i;
    if (!fits("op", op, 255) || !fits("sm", sm, 255) || !fits("cta", cta, 255) ||
        !fits("warp", warp, 255) || !fits("tag", tag, 65535) || !fits("sem", sem, 255) ||
        !fits("scope", scope, 255) || !fits("kind", kind, 255)) {
        return GSU_E_ARGUMENT;
    }
    r.op = (uint8_t)op;
    r.sm = (uint8_t)sm, r.cta = (uint8_t)cta, r.warp = (uint8_t)warp;
    r.tag = (uint16_t)tag;
    r.lanes = lanes;
    r.arg0 = arg0;
    r.arg1 = arg1;
    r.pred = pred;
    r.sem = (uint8_t)sem;
    r.scope = (uint8_t)scope;
    r.kind = (uint8_t)kind;
    r.aligned = flags & 1;
    r.no_complete = flags >> 1 & 1;
    r.want_value = flags >> 2 & 1;
    r.diverged = flags >> 3 & 1;
    r.remote = flags >> 4 & 1;
    for (i = 0; i < 32; ++i) {
        r.addr[i] = addr[i];
        r.data[i] = data[i];
        r.limit[i] = limit[i];
    }
    return result(gsu_unit_present(unitOf(bridge), &r));
}

int gsu_dpi_notify(void* bridge, int kind, int sm, int cta, int warp, unsigned addr,
                   unsigned amount, int tag)
{
    gsu_async done = GSU_INIT(gsu_async);
    if (!fits("kind", kind, 255) || !fits("sm", sm, 255) || !fits("cta", cta, 255) ||
        !fits("warp", warp, 255) || !fits("tag", tag, 65535)) {
        return GSU_E_ARGUMENT;
    }
    done.kind = (uint8_t)kind;
    done.sm = (uint8_t)sm, done.cta = (uint8_t)cta, done.warp = (uint8_t)warp;
    done.addr = addr, done.amount = amount, done.tag = (uint16_t)tag;
    return result(gsu_unit_notify(unitOf(bridge), &done));
}

int gsu_dpi_answer_cancel(void* bridge, int sm, int slot, int canceled, unsigned x, unsigned y,
                          unsigned z)
{
    gsu_cancel_answer answer = GSU_INIT(gsu_cancel_answer);
    if (!fits("sm", sm, 255) || !fits("slot", slot, 255) || !fits("canceled", canceled, 1)) {
        return GSU_E_ARGUMENT;
    }
    answer.sm = (uint8_t)sm, answer.slot = (uint8_t)slot, answer.canceled = (uint8_t)canceled;
    answer.first[0] = x, answer.first[1] = y, answer.first[2] = z;
    return result(gsu_unit_answer_cancel(unitOf(bridge), &answer));
}

int gsu_dpi_read_word(void* bridge, int sm, unsigned addr, unsigned long long* word)
{
    uint64_t value = 0;
    const int status = result(gsu_unit_read_word(unitOf(bridge), (uint32_t)sm, addr, &value));
    *word = value;
    return status;
}

int gsu_dpi_stored(void* bridge, int sm, unsigned addr, unsigned bytes)
{
    return result(gsu_unit_stored(unitOf(bridge), (uint32_t)sm, addr, bytes));
}

int gsu_dpi_barrier(void* bridge, int sm, int cta, int id, unsigned* arrived, unsigned* waiting,
                    unsigned* missing, unsigned* arrivedCount, unsigned* expected,
                    unsigned long long* generations)
{
    gsu_barrier_state state = GSU_INIT(gsu_barrier_state);
    const int status =
        result(gsu_unit_barrier(unitOf(bridge), (uint32_t)sm, (uint32_t)cta, (uint32_t)id, &state));
    *arrived = state.arrived;
    *waiting = state.waiting;
    *missing = state.missing;
    *arrivedCount = state.arrived_count;
    *expected = state.expected;
    *generations = state.generations;
    return status;
}

/* A text; if the call failed, the text of the error. */
const char* gsu_dpi_explain(void* bridge)
{
    const char* text = "";
    return result(gsu_unit_explain(unitOf(bridge), &text)) < 0 ? lastError : text;
}

/* The unit's error; "" if there is none. */
const char* gsu_dpi_fault(void* bridge)
{
    const char* text = "";
    const int status = result(gsu_unit_fault(unitOf(bridge), NULL, &text));
    return status < 0 ? lastError : status == 1 ? text : "";
}

/* Sets the members that the event's kind has; the others stay 0. */
typedef struct {
    int kind, sm, cta, warp, tag, op, cause, last, flip, refused, cluster, all, any;
    unsigned warps, lanes, object, pred;
    unsigned long long cycle, value;
} Plain;

/* Members that several kinds of events share. */
#define PLACE(from) (p->sm = (from).sm, p->cta = (from).cta, p->cycle = (from).cycle)
#define REQUEST(from)                                                                              \
    (p->warp = (from).warp, p->tag = (from).tag, p->op = (from).op, p->lanes = (from).lanes,       \
     p->object = (from).object)

static void plainResponse(const gsu_response* r, Plain* p)
{
    PLACE(*r);
    p->warp = r->warp;
    p->tag = r->tag;
    p->lanes = r->lanes;
    p->cause = r->cause;
    p->last = r->last;
    p->pred = r->pred;
    p->value = r->value;
}

static void plainRelease(const gsu_release* r, Plain* p)
{
    PLACE(*r);
    p->warps = r->warps;
    p->lanes = r->lanes;
    p->object = r->id;
    p->cluster = r->cluster;
    p->all = r->all;
    p->any = r->any;
    p->value = r->popc;
}

static void plainCommit(const gsu_commit* c, Plain* p)
{
    PLACE(*c);
    REQUEST(*c);
    p->cause = c->cause;
    p->flip = c->flip;
    p->refused = c->refused;
    p->value = c->new_word;
}

static void plainFinding(const gsu_finding* f, Plain* p, char* text, size_t room)
{
    PLACE(*f);
    REQUEST(*f);
    p->refused = f->effect == GSU_EFFECT_REFUSED;
    snprintf(text, room, "%s: %s", f->rule, f->message);
}

static void plainEvent(const gsu_event* e, Plain* p, char* text, size_t room)
{
    p->kind = (int)e->kind;
    switch (e->kind) {
        case GSU_EVENT_RESPONSE: plainResponse(&e->of.response, p); break;
        case GSU_EVENT_RELEASE: plainRelease(&e->of.release, p); break;
        case GSU_EVENT_COMMIT: plainCommit(&e->of.commit, p); break;
        case GSU_EVENT_FINDING: plainFinding(&e->of.finding, p, text, room); break;
        case GSU_EVENT_DELIVERED:
        case GSU_EVENT_DROPPED:
            PLACE(e->of.delivered);
            p->tag = e->of.delivered.tag, p->lanes = e->of.delivered.lanes;
            break;
        case GSU_EVENT_GRID:
            p->object = e->of.grid.grid;
            p->last = e->of.grid.complete;
            p->cycle = e->of.grid.cycle;
            break;
        case GSU_EVENT_CANCEL:
            PLACE(e->of.cancel);
            p->tag = e->of.cancel.tag;
            p->lanes = 1u << e->of.cancel.lane;
            p->object = e->of.cancel.slot;
            p->cluster = e->of.cancel.multicast;
            break;
        case GSU_EVENT_CTA_FREE: PLACE(e->of.cta_free); break;
    }
    if (e->kind != GSU_EVENT_RELEASE && p->warp < 32) p->warps = 1u << p->warp;
}

int gsu_dpi_next_event(void* bridge, int* kind, unsigned long long* cycle, int* sm, int* cta,
                       int* warp, int* tag, unsigned* warps, unsigned* lanes, int* op,
                       unsigned* object, int* cause, int* flags, unsigned* pred,
                       unsigned long long* value)
{
    gsu_event event = GSU_INIT(gsu_event);
    Plain p;
    const int status = result(gsu_unit_next_event(unitOf(bridge), &event));
    memset(&p, 0, sizeof p);
    if (status == 1) {
        plainEvent(&event, &p, ((Bridge*)bridge)->text, sizeof((Bridge*)bridge)->text);
    }
    *kind = p.kind;
    *cycle = p.cycle;
    *sm = p.sm;
    *cta = p.cta;
    *warp = p.warp;
    *tag = p.tag;
    *warps = p.warps;
    *lanes = p.lanes;
    *op = p.op;
    *object = p.object;
    *cause = p.cause;
    *flags = p.last | p.flip << 1 | p.refused << 2 | p.cluster << 3 | p.all << 4 | p.any << 5;
    *pred = p.pred;
    *value = p.value;
    return status;
}

/* Rule and message of the finding that was taken last. */
const char* gsu_dpi_event_text(void* bridge)
{
    return bridge != NULL ? ((Bridge*)bridge)->text : "";
}

#ifdef __cplusplus
}
#endif
