/** \file gsu_state.h
 *  Values of gsu.h that tell what barriers hold and what happened: results of gsu_unit_barrier() and its kin, and of
 *  gsu_unit_next_event(), and queries of try_cancel with their answers. Added by 1.3. Include gsu.h. */
#ifndef GSU_STATE_H
#define GSU_STATE_H
#include "gsu_types.h"

/** A lane of clusterlaunchcontrol.try_cancel asks for a cluster that has not started. The driver has the queue of these: it takes one out, or finds
 *  none, in one step, keeps the 16 bytes of the response under `tag` and `lane`, and answers with gsu_unit_answer_cancel() in a later cycle. Then on_delivered
 *  (or on_dropped) comes for the CTA that asked and, with `multicast`, for every CTA of its cluster; the complete_tx of the 16 bytes follows it. A
 *  CTA with a query that is not answered is never freed. Added by 1.6. */
typedef struct gsu_cancel {
    uint32_t size; /**< as the library knows it */
    uint16_t
        tag; /**< of the request; it names the response until that is delivered, though the request has been answered */
    uint8_t sm;         /**< SM */
    uint8_t cta;        /**< CTA slot */
    uint8_t lane;       /**< of the request */
    uint8_t slot;       /**< names the query among those of the SM that are not answered, 0..31 */
    uint8_t multicast;  /**< 1: for every CTA of the cluster */
    uint8_t reserved;   /**< 0 */
    uint32_t reserved2; /**< 0 */
    uint64_t cycle;     /**< when */
} gsu_cancel;

/** The answer to a gsu_cancel. The unit does not look at what it says. Added by 1.6. */
typedef struct gsu_cancel_answer {
    uint32_t size;      /**< sizeof(gsu_cancel_answer) */
    uint8_t sm;         /**< SM */
    uint8_t slot;       /**< of the query */
    uint8_t canceled;   /**< 1: a cluster was taken out of the queue; for those who watch */
    uint8_t reserved;   /**< 0 */
    uint32_t first[3];  /**< then: ctaid of its first CTA; for those who watch */
    uint32_t reserved2; /**< 0 */
} gsu_cancel_answer;

/** How the expected count of a named barrier came about. */
enum gsu_barrier_mode {
    GSU_BARRIER_IDLE = 0,     /**< nobody has arrived */
    GSU_BARRIER_EXPLICIT = 1, /**< the opening arrival said how many threads */
    GSU_BARRIER_ALL = 2       /**< all threads of the CTA that have not exited */
};

/** A named barrier as the unit has committed it. Masks have a bit per warp of the CTA. */
typedef struct gsu_barrier_state {
    uint32_t size;    /**< sizeof(gsu_barrier_state) */
    uint8_t sm;       /**< SM */
    uint8_t cta;      /**< CTA slot */
    uint8_t id;       /**< number of the barrier */
    uint8_t mode;     /**< gsu_barrier_mode */
    uint32_t arrived; /**< warps that were counted in this generation */
    uint32_t
        waiting; /**< warps with an open request for it: they wait for its completion, or for their own lanes */
    uint32_t missing; /**< warps with live lanes that were not counted; 0 while idle */
    uint32_t
        arrived_count; /**< arrivals, in threads: 32 for each arrival of a warp; 4064 stands for more */
    uint32_t
        expected; /**< threads that it takes, 32 for each warp; 4064 stands for more; 0 while idle */
    uint32_t popc;        /**< bar.red.popc so far */
    uint8_t all;          /**< bar.red.and so far */
    uint8_t any;          /**< bar.red.or so far */
    uint8_t reserved[2];  /**< 0 */
    uint64_t generations; /**< completions since the CTA was launched */
} gsu_barrier_state;

/** An mbarrier as the unit has committed it. */
typedef struct gsu_mbarrier_state {
    uint32_t size;    /**< sizeof(gsu_mbarrier_state) */
    uint8_t sm;       /**< SM */
    uint8_t cta;      /**< CTA slot */
    uint8_t phase;    /**< parity of the running phase */
    uint8_t locked;   /**< 1: an error locked it (mbar_policy) */
    uint32_t addr;    /**< byte offset in the CTA's shared memory */
    uint32_t pending; /**< arrivals that are missing in this phase */
    uint32_t
        expected; /**< arrivals that a phase takes; 0 with pending 0 and tx 0: everybody has dropped */
    int32_t
        tx; /**< bytes announced and not yet complete; negative: complete before they were announced */
    uint32_t
        waiting;   /**< warps of this CTA with an open try_wait or test_wait for it, bit per warp */
    uint8_t known; /**< 1: the unit has committed this word, 0: it was read from memory */
    uint8_t reserved[7]; /**< 0 */
    uint64_t word;       /**< the 64 bits; 0: never initialised, or invalidated */
    uint64_t phases;     /**< completions since the CTA was launched */
} gsu_mbarrier_state;

/** The cluster barrier, seen from one CTA. Masks of warps have a bit per warp of that CTA, masks of ranks one per rank. */
typedef struct gsu_cluster_state {
    uint32_t size;     /**< sizeof(gsu_cluster_state) */
    uint8_t sm;        /**< SM */
    uint8_t cta;       /**< CTA slot */
    uint8_t rank;      /**< of the CTA in its cluster */
    uint8_t ctas;      /**< CTAs of the cluster */
    uint32_t arrived;  /**< warps that have arrived in this generation */
    uint32_t waiting;  /**< warps with an open barrier.cluster.wait */
    uint32_t missing;  /**< warps that live and have not arrived */
    uint32_t launched; /**< ranks that were launched: the barrier opens when all are */
    uint32_t
        ranks_arrived; /**< ranks all of whose live warps have arrived, as far as they were launched */
    uint32_t ranks_missing; /**< the other ranks */
    uint64_t generations;   /**< completions delivered to this CTA since it was launched */
} gsu_cluster_state;

/** What is said about a grid. */
enum gsu_grid_what {
    GSU_GRID_STARTS = 0, /**< it starts: before its first launch */
    GSU_GRID_ENDED = 1,  /**< it runs elsewhere, and has completed */
    GSU_GRID_FEWER = 2   /**< `ctas` of it will not be launched: they count as ended */
};

/** A grid of griddepcontrol, in a slot of the grid table. Added by 1.6. */
typedef struct gsu_grid {
    uint32_t size; /**< sizeof(gsu_grid) */
    uint8_t grid;  /**< slot, 1..15; to start a grid it is free: not used yet, or told complete */
    uint8_t what;  /**< gsu_grid_what */
    uint16_t
        prereqs; /**< of a start: bit per slot: griddepcontrol.wait of its CTAs waits for those that are in flight now; else 0 */
    uint32_t
        ctas; /**< of a start: CTAs of it that will be launched, 0: it runs elsewhere; of GSU_GRID_ENDED 0 */
    uint32_t
        network; /**< of SMs 16 * network and following: each network has a grid table of its own */
} gsu_grid;

/** What a grid has come to; each once. Added by 1.6. */
typedef struct gsu_grid_event {
    uint32_t size; /**< as the library knows it */
    uint8_t grid;  /**< slot */
    uint8_t
        complete; /**< 0: every CTA has signalled or ended, dependents may be launched; 1: every CTA has ended, the slot is free */
    uint16_t network; /**< as gsu_grid::network */
    uint64_t cycle;   /**< when */
} gsu_grid_event;

/** Why a unit hangs, of gsu_unit_hang(). Texts live until the next call of that function on this unit. Added by 1.8. */
typedef struct gsu_hang {
    uint32_t size;        /**< sizeof(gsu_hang) */
    uint32_t line;        /**< gsu_unit_line() of what should have been different; 0: not known */
    uint64_t cycle;       /**< from when on it was inevitable */
    uint64_t last_change; /**< no barrier has changed after it */
    uint32_t waiting;     /**< groups of lanes that wait, or only ask again */
    uint32_t running;     /**< warps that live and do neither */
    const char*
        kind; /**< a word of the table of causes, "missing-bytes"; "unknown" where control flow or memory would tell; "" if nobody waits */
    const char* sentence; /**< one sentence: object, line, who, numbers; "" if nobody waits */
    const char* text;     /**< the sentence, then who waits for what: gsu_unit_explain() */
    const char* json;     /**< `waiting`, `debts`, `cause` with `others`, `last_change` */
} gsu_hang;

/** What an event is about. */
enum gsu_event_kind {
    GSU_EVENT_RESPONSE = 1,  /**< gsu_event::of.response */
    GSU_EVENT_RELEASE = 2,   /**< gsu_event::of.release */
    GSU_EVENT_COMMIT = 3,    /**< gsu_event::of.commit */
    GSU_EVENT_DELIVERED = 4, /**< gsu_event::of.delivered */
    GSU_EVENT_CTA_FREE = 5,  /**< gsu_event::of.cta_free */
    GSU_EVENT_FINDING = 6,   /**< gsu_event::of.finding */
    GSU_EVENT_DROPPED = 7,   /**< gsu_event::of.delivered: data that never will be */
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
    GSU_EVENTS_GRID = 128,    /**< what grids have come to. Added by 1.6 */
    GSU_EVENTS_CANCEL = 256   /**< queries of try_cancel. Added by 1.6 */
};

/** One event that was kept. */
typedef struct gsu_event {
    uint32_t size; /**< sizeof(gsu_event) */
    uint32_t kind; /**< gsu_event_kind: which member of `of` */
    /** As the callbacks give it. Later versions may make it larger. */
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
