/** \file gsu_state.h
 *  Types of gsu.h for the state of barriers and for events: results of gsu_unit_barrier() and its kin, and of
 *  gsu_unit_next_event(), and queries of try_cancel with their answers. Added by 1.3. Include gsu.h. */
#ifndef GSU_STATE_H
#define GSU_STATE_H
#include "gsu_types.h"

/** A lane of clusterlaunchcontrol.try_cancel asks for a cluster that has not started. The driver has the queue of such clusters. In one step it takes
 *  a cluster out, or finds none; it keeps the 16 bytes of the response under `tag` and `lane`, and answers with gsu_unit_answer_cancel() in a later
 *  cycle. Then on_delivered (or on_dropped) comes for the CTA that asked and, with `multicast`, for every CTA of its cluster; the complete_tx of the
 *  16 bytes follows. A CTA with an unanswered query is never freed. Added by 1.6. */
typedef struct gsu_cancel {
    uint32_t size; /**< as the library knows it */
    /** tag of the request; it names the response until that is delivered, even after the request has been answered */
    uint16_t tag;
    uint8_t sm;         /**< SM */
    uint8_t cta;        /**< CTA slot */
    uint8_t lane;       /**< lane of the request */
    uint8_t slot;       /**< number of the query among the unanswered ones of the SM, 0..31 */
    uint8_t multicast;  /**< 1: for every CTA of the cluster */
    uint8_t reserved;   /**< 0 */
    uint32_t reserved2; /**< 0 */
    uint64_t cycle;     /**< cycle of the query */
} gsu_cancel;

/** The answer to a gsu_cancel. `canceled` and `first` are for observers; the unit ignores them. Added by 1.6. */
typedef struct gsu_cancel_answer {
    uint32_t size;      /**< sizeof(gsu_cancel_answer) */
    uint8_t sm;         /**< SM */
    uint8_t slot;       /**< gsu_cancel::slot of the query */
    uint8_t canceled;   /**< 1: a cluster was taken out of the queue */
    uint8_t reserved;   /**< 0 */
    uint32_t first[3];  /**< ctaid of the first CTA of that cluster */
    uint32_t reserved2; /**< 0 */
} gsu_cancel_answer;

/** Origin of the expected count of a named barrier. */
enum gsu_barrier_mode {
    GSU_BARRIER_IDLE = 0,     /**< nobody has arrived */
    GSU_BARRIER_EXPLICIT = 1, /**< the first arrival gave the number of threads */
    GSU_BARRIER_ALL = 2       /**< all threads of the CTA that have not exited */
};

/** Committed state of a named barrier. Masks have a bit per warp of the CTA. */
typedef struct gsu_barrier_state {
    uint32_t size;    /**< sizeof(gsu_barrier_state) */
    uint8_t sm;       /**< SM */
    uint8_t cta;      /**< CTA slot */
    uint8_t id;       /**< number of the barrier */
    uint8_t mode;     /**< gsu_barrier_mode */
    uint32_t arrived; /**< warps that were counted in this generation */
    /** warps with an open request for it: they wait for its completion, or for their own lanes */
    uint32_t waiting;
    uint32_t missing; /**< warps with live lanes that were not counted; 0 while idle */
    /** arrivals, in threads: 32 for each arrival of a warp; 4064 stands for more */
    uint32_t arrived_count;
    /** threads needed for completion, 32 for each warp; 4064 stands for more; 0 while idle */
    uint32_t expected;
    uint32_t popc;        /**< bar.red.popc so far */
    uint8_t all;          /**< bar.red.and so far */
    uint8_t any;          /**< bar.red.or so far */
    uint8_t reserved[2];  /**< 0 */
    uint64_t generations; /**< completions since the CTA was launched */
} gsu_barrier_state;

/** Committed state of an mbarrier. */
typedef struct gsu_mbarrier_state {
    uint32_t size;    /**< sizeof(gsu_mbarrier_state) */
    uint8_t sm;       /**< SM */
    uint8_t cta;      /**< CTA slot */
    uint8_t phase;    /**< parity of the running phase */
    uint8_t locked;   /**< 1: an error locked it (mbar_policy) */
    uint32_t addr;    /**< byte offset in the CTA's shared memory */
    uint32_t pending; /**< missing arrivals of this phase */
    /** arrivals of a complete phase; 0 with pending 0 and tx 0: everybody has dropped */
    uint32_t expected;
    /** announced bytes that are not yet complete; negative: bytes complete before they were announced */
    int32_t tx;
    uint32_t
        waiting;   /**< warps of this CTA with an open try_wait or test_wait for it, bit per warp */
    uint8_t known; /**< 1: the unit has committed this word, 0: it was read from memory */
    uint8_t reserved[7]; /**< 0 */
    uint64_t word;       /**< the 64 bits; 0: never initialised, or invalidated */
    uint64_t phases;     /**< completions since the CTA was launched */
} gsu_mbarrier_state;

/** The cluster barrier, seen from one CTA. Masks of warps have a bit per warp of that CTA, masks of ranks one per rank. */
typedef struct gsu_cluster_state {
    uint32_t size;          /**< sizeof(gsu_cluster_state) */
    uint8_t sm;             /**< SM */
    uint8_t cta;            /**< CTA slot */
    uint8_t rank;           /**< rank of the CTA in its cluster */
    uint8_t ctas;           /**< CTAs of the cluster */
    uint32_t arrived;       /**< warps that have arrived in this generation */
    uint32_t waiting;       /**< warps with an open barrier.cluster.wait */
    uint32_t missing;       /**< live warps that have not arrived */
    uint32_t launched;      /**< ranks that were launched: the barrier opens when all of them are */
    uint32_t ranks_arrived; /**< launched ranks whose live warps have all arrived */
    uint32_t ranks_missing; /**< the other ranks */
    uint64_t generations;   /**< completions delivered to this CTA since it was launched */
} gsu_cluster_state;

/** Kind of a gsu_grid. */
enum gsu_grid_what {
    GSU_GRID_STARTS = 0, /**< the grid starts: before its first launch */
    GSU_GRID_ENDED = 1,  /**< a grid that runs elsewhere has completed */
    GSU_GRID_FEWER = 2   /**< `ctas` CTAs of the grid will not be launched: they count as ended */
};

/** A grid of griddepcontrol, in a slot of the grid table. Added by 1.6. */
typedef struct gsu_grid {
    uint32_t size; /**< sizeof(gsu_grid) */
    uint8_t grid;  /**< slot, 1..15; at a start it is free: never used, or reported complete */
    uint8_t what;  /**< gsu_grid_what */
    /** at a start: bit per slot of the grids for which griddepcontrol.wait of its CTAs waits, if they are in flight now; else 0 */
    uint16_t prereqs;
    /** at a start: number of its CTAs that will be launched, 0: it runs elsewhere; 0 with GSU_GRID_ENDED */
    uint32_t ctas;
    /** network, with SMs 16 * network and following: each network has a grid table of its own */
    uint32_t network;
} gsu_grid;

/** Progress of a grid; each event comes once. Added by 1.6. */
typedef struct gsu_grid_event {
    uint32_t size; /**< as the library knows it */
    uint8_t grid;  /**< slot */
    uint8_t
        complete; /**< 0: every CTA has signalled or ended, dependents may be launched; 1: every CTA has ended, the slot is free */
    uint16_t network; /**< as gsu_grid::network */
    uint64_t cycle;   /**< cycle of the event */
} gsu_grid_event;

/** Cause of a hang, from gsu_unit_hang(). Texts live until the next call of that function on this unit. Added by 1.8. */
typedef struct gsu_hang {
    uint32_t size; /**< sizeof(gsu_hang) */
    /** gsu_unit_line() of the instruction that should have been different; 0: not known */
    uint32_t line;
    uint64_t cycle;       /**< first cycle at which the hang could no longer be avoided */
    uint64_t last_change; /**< last cycle in which a barrier changed */
    uint32_t waiting;     /**< groups of lanes that wait, or only repeat their wait */
    uint32_t running;     /**< live warps that do neither */
    /** word of the table of causes, "missing-bytes"; "unknown" if control flow or memory would be needed; "" if nobody waits */
    const char* kind;
    const char* sentence; /**< one sentence: object, line, culprit, numbers; "" if nobody waits */
    const char* text;     /**< `sentence`, then the waiters as in gsu_unit_explain() */
    const char* json;     /**< `waiting`, `debts`, `cause` with `others`, `last_change` */
} gsu_hang;

/** Kind of a gsu_event. */
enum gsu_event_kind {
    GSU_EVENT_RESPONSE = 1,  /**< gsu_event::of.response */
    GSU_EVENT_RELEASE = 2,   /**< gsu_event::of.release */
    GSU_EVENT_COMMIT = 3,    /**< gsu_event::of.commit */
    GSU_EVENT_DELIVERED = 4, /**< gsu_event::of.delivered */
    GSU_EVENT_CTA_FREE = 5,  /**< gsu_event::of.cta_free */
    GSU_EVENT_FINDING = 6,   /**< gsu_event::of.finding */
    GSU_EVENT_DROPPED = 7,   /**< gsu_event::of.delivered: data that will never be delivered */
    GSU_EVENT_GRID = 8,      /**< gsu_event::of.grid. Added by 1.6 */
    GSU_EVENT_CANCEL = 9     /**< gsu_event::of.cancel. Added by 1.6 */
};

/** Bits of gsu_options::events: which events are kept for gsu_unit_next_event(). */
enum gsu_event_mask {
    GSU_EVENTS_RESPONSE = 1,  /**< responses */
    GSU_EVENTS_RELEASE = 2,   /**< releases */
    GSU_EVENTS_COMMIT = 4,    /**< commits */
    GSU_EVENTS_DELIVERED = 8, /**< delivered data */
    GSU_EVENTS_CTA_FREE = 16, /**< freed CTA slots */
    GSU_EVENTS_FINDING = 32,  /**< findings */
    GSU_EVENTS_DROPPED = 64,  /**< dropped data */
    GSU_EVENTS_GRID = 128,    /**< progress of grids. Added by 1.6 */
    GSU_EVENTS_CANCEL = 256   /**< queries of try_cancel. Added by 1.6 */
};

/** A kept event. */
typedef struct gsu_event {
    uint32_t size; /**< sizeof(gsu_event) */
    uint32_t kind; /**< gsu_event_kind: which member of `of` */
    /** The record that the callback gets. Later versions may make the union larger. */
    union {
        gsu_response response;   /**< of GSU_EVENT_RESPONSE */
        gsu_release release;     /**< of GSU_EVENT_RELEASE */
        gsu_commit commit;       /**< of GSU_EVENT_COMMIT */
        gsu_delivered delivered; /**< of GSU_EVENT_DELIVERED, GSU_EVENT_DROPPED */
        gsu_cta_free cta_free;   /**< of GSU_EVENT_CTA_FREE */
        gsu_finding finding;     /**< of GSU_EVENT_FINDING */
        gsu_grid_event grid;     /**< of GSU_EVENT_GRID */
        gsu_cancel cancel;       /**< of GSU_EVENT_CANCEL */
    } of;                        /**< the event */
} gsu_event;

#endif
