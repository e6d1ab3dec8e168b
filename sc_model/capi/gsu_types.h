/** \file gsu_types.h
 *  Types of gsu.h: errors, enumerations and the structures of the port. Include gsu.h. */
#ifndef GSU_TYPES_H
#define GSU_TYPES_H
#include <stdint.h>

#include "gsu_ops.h"

/** Result of a call: 0 or positive is success, negative is one of gsu_error. */
typedef int32_t gsu_status;

/** Errors. */
enum gsu_error {
    GSU_OK = 0,          /**< done */
    GSU_E_ARGUMENT = -1, /**< NULL, out of range, unknown name or number */
    GSU_E_VERSION = -2,  /**< ABI or structure size unknown to this library */
    GSU_E_BUSY = -3,     /**< not in this cycle: ask gsu_unit_can_present() first */
    GSU_E_STATE = -4,    /**< contradicts the past: lane or tag in use, slot not launched */
    GSU_E_NESTED = -5, /**< called from inside a callback of the same unit, and not allowed there */
    GSU_E_MEMORY = -6, /**< out of memory */
    GSU_E_INTERNAL = -7 /**< an error of the library */
};

/** Memory semantics of a request. */
enum gsu_sem {
    GSU_SEM_RELAXED = 0, /**< .relaxed */
    GSU_SEM_ACQUIRE = 1, /**< .acquire */
    GSU_SEM_RELEASE = 2, /**< .release */
    GSU_SEM_ACQ_REL = 3  /**< .acq_rel */
};

/** Scope of a request. */
enum gsu_scope {
    GSU_SCOPE_NONE = 0,    /**< not given */
    GSU_SCOPE_CTA = 1,     /**< .cta */
    GSU_SCOPE_CLUSTER = 2, /**< .cluster */
    GSU_SCOPE_GPU = 3,     /**< .gpu */
    GSU_SCOPE_SYS = 4      /**< .sys */
};

/** Proxies of a GSU_OP_FENCE_PROXY, in gsu_request::kind. Added by 1.2. */
enum gsu_proxy {
    GSU_PROXY_ALIAS = 0,         /**< .alias */
    GSU_PROXY_ASYNC = 1,         /**< .async */
    GSU_PROXY_ASYNC_GLOBAL = 2,  /**< .async.global */
    GSU_PROXY_ASYNC_CTA = 3,     /**< .async.shared::cta */
    GSU_PROXY_ASYNC_CLUSTER = 4, /**< .async.shared::cluster */
    GSU_PROXY_TENSORMAP = 5,     /**< .tensormap::generic */
    GSU_PROXY_GENERIC = 6        /**< .async::generic: barrier state only */
};

/** Threads towards which an access is performed. Added by 1.2. */
enum gsu_reach {
    GSU_REACH_CTA = 0,     /**< the threads of its CTA; counted per warp */
    GSU_REACH_EVERYONE = 1 /**< all threads; counted per CTA */
};

/** Reason of a response. */
enum gsu_cause {
    GSU_CAUSE_DONE = 0,         /**< performed */
    GSU_CAUSE_ALREADY_TRUE = 1, /**< a wait whose phase had completed */
    GSU_CAUSE_FLIP = 2,         /**< a suspended wait, woken by the completion of the phase */
    GSU_CAUSE_TIMEOUT = 3,      /**< a suspended wait whose limit ran out: false */
    GSU_CAUSE_CAM_FULL = 4,     /**< a wait that found no free wait slot: false */
    GSU_CAUSE_DIVERGED = 5,     /**< a wait of a diverged warp, never suspended: false */
    GSU_CAUSE_KILLED = 6, /**< the object was invalidated or initialised under the wait: false */
    GSU_CAUSE_REFUSED =
        7 /**< refused; the commit and the finding give the reason. The driver must stop the warp */
};

/** Origin of a commit. */
enum gsu_source {
    GSU_SRC_LOCAL = 0,    /**< a request of this SM */
    GSU_SRC_CP_ASYNC = 1, /**< cp.async */
    /** a bulk or tensor copy; of GSU_OP_CLC_TRY_CANCEL the response to its own CTA */
    GSU_SRC_ASYNC_COPY = 2,
    GSU_SRC_REMOTE = 3,  /**< another CTA of the cluster */
    GSU_SRC_EXIT = 4,    /**< lanes that exited */
    GSU_SRC_TIMER = 5,   /**< a time limit */
    GSU_SRC_NETWORK = 6, /**< the cluster network */
    GSU_SRC_AGENT = 7    /**< an agent that is no thread: a tensor core. Added by 1.7 */
};

/** The parts of the unit that commit. */
enum gsu_part {
    GSU_PART_CTA = 0,       /**< CTA table */
    GSU_PART_NAMED = 1,     /**< named barriers */
    GSU_PART_WARP_SYNC = 2, /**< joins of a warp's lanes */
    GSU_PART_CLUSTER = 3,   /**< cluster barrier */
    GSU_PART_MBARRIER = 4,  /**< mbarriers */
    GSU_PART_FENCE = 5,     /**< fences */
    GSU_PART_NETWORK = 6,   /**< cluster network */
    GSU_PART_NULL = 7,      /**< refuses operations without hardware */
    GSU_PART_GRID = 8       /**< griddepcontrol. Added by 1.6 */
};

/** Kinds of asynchronous completions. */
enum gsu_async_kind {
    GSU_ASYNC_COMPLETE_TX = 0, /**< `amount` bytes of a copy are in place */
    GSU_ASYNC_ARRIVE_ON = 1,   /**< `amount` arrivals of cp.async.mbarrier.arrive */
    GSU_ASYNC_AGENT_ARRIVE = 2 /**< tcgen05.commit: one arrival in each CTA of `amount`. By 1.7 */
};

/** Severity of a finding. */
enum gsu_severity {
    GSU_SEVERITY_ERROR = 0,  /**< misuse: the program is wrong */
    GSU_SEVERITY_WARNING = 1 /**< suspicious, or harmful only in other circumstances */
};

/** Effect of the operation of a finding. */
enum gsu_effect {
    GSU_EFFECT_REFUSED = 0, /**< nothing changed; a dummy result */
    GSU_EFFECT_APPLIED = 1, /**< performed all the same */
    GSU_EFFECT_IGNORED = 2, /**< no effect, the usual response */
    GSU_EFFECT_SEEN = 3     /**< performed; only the golden model sees the error */
};

/** Kinds of faults. */
enum gsu_fault_kind {
    GSU_FAULT_DIVERGENCE = 0, /**< RTL and golden model differ */
    GSU_FAULT_ASSERTION = 1,  /**< an assertion of the RTL failed */
    GSU_FAULT_PROTOCOL = 2    /**< the driver broke the rules of the port */
};

/** One executed instruction of one group of lanes. Arrays are read where `lanes` has a bit. */
typedef struct gsu_request {
    uint32_t size; /**< sizeof(gsu_request) */
    uint16_t tag;  /**< free among the SM's open requests, 0..4095; comes back in responses */
    uint8_t op;    /**< gsu_op, not an event */
    uint8_t sm;    /**< SM */
    uint8_t cta;   /**< CTA slot of the SM, 0..31 */
    uint8_t warp;  /**< warp of the CTA */
    uint8_t sem;   /**< gsu_sem */
    uint8_t scope; /**< gsu_scope */
    /** of try_wait: not 0 if `limit` holds; of fence.proxy: gsu_proxy; of votes, match, redux: see gsu_op; else 0 */
    uint8_t kind;
    uint8_t aligned;     /**< .aligned: 0 or 1, like the following four */
    uint8_t no_complete; /**< .noComplete */
    uint8_t want_value;  /**< 1: the destination is not `_` */
    uint8_t diverged;    /**< the warp has other live lanes, which do not execute it */
    uint8_t remote;      /**< a shared::cluster address; of try_cancel: multicast */
    uint8_t reserved[2]; /**< 0 */
    uint32_t lanes;      /**< executing lanes; not 0 */
    uint32_t arg0;       /**< barrier id, or member mask */
    uint32_t arg1;       /**< threads of the barrier, 0 for all of the CTA */
    uint32_t pred;       /**< predicates of bar.red and votes, negation applied */
    uint32_t reserved2;  /**< 0 */
    /** mbarrier: {rank in the cluster [31:24], byte offset in that CTA's shared memory [23:0]}; of try_cancel an mbarrier of its own CTA */
    uint32_t addr[32];
    /** count, bytes (each lane's own), state or parity; value of match and redux; of try_cancel the byte offset of the response (1.6) */
    uint64_t data[32];
    uint32_t limit[32]; /**< try_wait: clocks of suspension */
} gsu_request;

/** Some lanes of a warp may continue. */
typedef struct gsu_response {
    uint32_t size;       /**< as the library knows it */
    uint16_t tag;        /**< of the request */
    uint8_t sm;          /**< SM */
    uint8_t cta;         /**< CTA slot */
    uint8_t warp;        /**< warp of the CTA */
    uint8_t last;        /**< 1: the last response to this request */
    uint8_t cause;       /**< gsu_cause */
    uint8_t reserved[5]; /**< 0 */
    uint32_t lanes;      /**< lanes that may continue */
    uint32_t pred;       /**< results of waits, votes, match.all, elect: a bit per lane */
    uint32_t stride;     /**< difference of the pending count in `value` for each further lane */
    uint32_t reserved2;  /**< 0 */
    uint64_t cycle;      /**< cycle of the response */
    /** state, for the first of `lanes`; ballot, match mask, sum, leader: the same for all of them */
    uint64_t value;
} gsu_response;

/** Waiters of one generation of a named or cluster barrier may continue. One record has the warps whose live lanes all wait; then follows a record
 *  for each warp that waits with a part of its lanes. A warp is named once. */
typedef struct gsu_release {
    uint32_t size;   /**< as the library knows it */
    uint8_t sm;      /**< SM */
    uint8_t cta;     /**< CTA slot */
    uint8_t cluster; /**< 1: the cluster barrier */
    uint8_t id;      /**< id of a named barrier */
    uint32_t warps;  /**< bit per warp of the CTA */
    uint16_t popc;   /**< result of bar.red.popc */
    uint8_t all;     /**< result of bar.red.and */
    uint8_t any;     /**< result of bar.red.or */
    uint64_t cycle;  /**< cycle of the release */
    /** lanes of each of these warps that may continue; all ones: every lane that waits. Added by 1.3 */
    uint32_t lanes;
    uint32_t reserved; /**< 0 */
} gsu_release;

/** One change of one barrier, or one refusal. */
typedef struct gsu_commit {
    uint32_t size;        /**< as the library knows it */
    uint16_t tag;         /**< of the request */
    uint8_t part;         /**< gsu_part */
    uint8_t op;           /**< gsu_op */
    uint8_t sm;           /**< SM */
    uint8_t cta;          /**< CTA slot */
    uint8_t warp;         /**< warp of the CTA */
    uint8_t flip;         /**< 1: completes the barrier or phase */
    uint8_t refused;      /**< 1: nothing changed */
    uint8_t cause;        /**< gsu_cause */
    uint8_t source;       /**< gsu_source */
    uint8_t reserved;     /**< 0 */
    uint32_t lanes;       /**< lanes of the operation */
    uint32_t object;      /**< barrier id, member mask or mbarrier address */
    uint16_t errors;      /**< error bits of the part */
    uint8_t reserved2[6]; /**< 0 */
    uint64_t seq;         /**< position among all commits */
    uint64_t cycle;       /**< cycle of the commit */
    uint64_t old_word;    /**< state of the object before */
    uint64_t new_word;    /**< state of the object after */
} gsu_commit;

/** A broken rule: the meaning of error bits of a commit, or a remark of the golden model on it. Added by 1.1. */
typedef struct gsu_finding {
    uint32_t size;       /**< as the library knows it */
    uint16_t tag;        /**< of the request */
    uint8_t part;        /**< gsu_part */
    uint8_t op;          /**< gsu_op; 0: an ordinary store or the end of a CTA */
    uint8_t sm;          /**< SM */
    uint8_t cta;         /**< CTA slot; 255 if `op` is 0 */
    uint8_t warp;        /**< warp of the CTA; 255 if `op` is 0 */
    uint8_t severity;    /**< gsu_severity */
    uint8_t effect;      /**< gsu_effect */
    uint8_t misuse;      /**< number of the case in the catalogue of misuse (UB-nn), 0: none */
    uint8_t reserved[2]; /**< 0 */
    uint32_t lanes;      /**< lanes of the operation; 0 if `op` is 0 */
    uint32_t object;     /**< barrier id, member mask or mbarrier address, as gsu_commit::object */
    uint32_t address;    /**< GSU_EFFECT_SEEN: the mbarrier's byte in the SM's shared memory */
    uint64_t cycle;      /**< cycle of the finding */
    const char* rule;    /**< id of the rule, for example "BAR-002"; lives as long as the library */
    const char* message; /**< one line; lives as long as the library */
} gsu_finding;

/** Remote data of st.async, red.async, atom or red named by `tag` are at their SM. The driver performs the bytes now, those of atom and red in one
 *  step (`lanes` has their lanes). An atom is answered when all its lanes have been delivered or dropped. In on_dropped: these data are never
 *  delivered, because their packet was refused there, or came back to this SM. */
typedef struct gsu_delivered {
    uint32_t size;  /**< as the library knows it */
    uint16_t tag;   /**< of the request */
    uint8_t sm;     /**< SM that owns the data */
    uint8_t cta;    /**< CTA slot that owns the data */
    uint64_t cycle; /**< cycle of the delivery */
    /** lanes of the data (1.5): one lane of st.async and red.async; the lanes of a packet of atom and red */
    uint32_t lanes;
    uint32_t reserved; /**< 0 */
} gsu_delivered;

/** A CTA slot may be launched again. */
typedef struct gsu_cta_free {
    uint32_t size;       /**< as the library knows it */
    uint8_t sm;          /**< SM */
    uint8_t cta;         /**< CTA slot */
    uint8_t reserved[2]; /**< 0 */
    uint64_t cycle;      /**< cycle in which the slot became free */
} gsu_cta_free;

/** The start of a CTA. */
typedef struct gsu_launch {
    uint32_t size;      /**< sizeof(gsu_launch) */
    uint8_t sm;         /**< SM */
    uint8_t cta;        /**< CTA slot, 0..31, not in use */
    uint8_t warp_base;  /**< first of its warp slots, 0..63; none of them in use */
    uint8_t cluster;    /**< cluster slot, 0..63, of a cluster of several CTAs */
    uint8_t rank;       /**< rank in the cluster */
    uint8_t ctas;       /**< CTAs of the cluster, 1..16; 0 counts as 1 */
    uint16_t threads;   /**< 1..1024 */
    uint32_t smem_base; /**< byte address of its shared memory in the SM's, a multiple of 8 */
    uint32_t smem_size; /**< bytes of its shared memory */
    /** number by which the caller tells launches of one slot apart; the same for all CTAs of a cluster. Added by 1.3 */
    uint8_t era;
    /** slot of its grid (gsu_unit_grid()), 1..15; 0: a grid without dependents and prerequisites. Added by 1.6 */
    uint8_t grid;
    uint8_t reserved[2]; /**< 0 */
} gsu_launch;

/** Lanes of a warp exit. */
typedef struct gsu_exit {
    uint32_t size;  /**< sizeof(gsu_exit) */
    uint8_t sm;     /**< SM */
    uint8_t cta;    /**< CTA slot */
    uint8_t warp;   /**< warp of the CTA */
    uint8_t trap;   /**< 1: by an error */
    uint32_t lanes; /**< exiting lanes; none of them with an open request */
} gsu_exit;

/** The place of a CTA of a cluster. All ranks of a cluster are given before its first launch. */
typedef struct gsu_route {
    uint32_t size;       /**< sizeof(gsu_route) */
    uint8_t cluster;     /**< cluster slot, 0..63 */
    uint8_t rank;        /**< rank in the cluster */
    uint8_t sm;          /**< SM */
    uint8_t cta;         /**< CTA slot */
    uint8_t ctas;        /**< CTAs of the cluster, 2..16 */
    uint8_t reserved[3]; /**< 0 */
} gsu_route;

/** Waves to be dumped. Added by 1.1. */
typedef struct gsu_waves {
    uint32_t size;     /**< sizeof(gsu_waves) */
    uint32_t reserved; /**< 0 */
    const char* path;  /**< FST file; it appears when the waves are closed */
    uint64_t from;     /**< first cycle */
    uint64_t to;       /**< last cycle; 0: until they are closed */
} gsu_waves;

/** Ordinary accesses (ld, st, atom, red) of a warp that are announced as outstanding, or are performed now. Added by 1.2. */
typedef struct gsu_accesses {
    uint32_t size;       /**< sizeof(gsu_accesses) */
    uint8_t sm;          /**< SM */
    uint8_t cta;         /**< CTA slot */
    uint8_t warp;        /**< warp of the CTA */
    uint8_t reach;       /**< gsu_reach */
    uint8_t epoch;       /**< result of gsu_unit_epoch() when they were announced, 0 or 1 */
    uint8_t reserved[3]; /**< 0 */
    uint32_t count;      /**< number of accesses, 1..65535 */
} gsu_accesses;

/** Data of an asynchronous operation are in place. */
typedef struct gsu_async {
    uint32_t size;   /**< sizeof(gsu_async) */
    uint8_t kind;    /**< gsu_async_kind */
    uint8_t sm;      /**< SM of the mbarrier */
    uint8_t cta;     /**< its CTA slot */
    uint8_t warp;    /**< warp that is named as the cause in the commit */
    uint32_t addr;   /**< mbarrier, as gsu_request::addr */
    uint32_t amount; /**< bytes, arrivals, or a bit for each rank of the cluster */
    uint16_t tag;    /**< comes back in the commit, 0..4095 */
    /** gsu_launch::era of the addressed CTA: a later launch is not touched. Added by 1.3 */
    uint8_t era;
    uint8_t reserved; /**< 0 */
} gsu_async;

#endif
