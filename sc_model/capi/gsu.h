/** \file gsu.h
 *  The synchronization unit of a GPU (named barriers, warp joins, cluster barriers, mbarriers) for programs in C and every language
 *  that can call C: library `gsu`, pkg-config package `gsu`.
 *
 *  A *unit* serves SMs and has the time. Every 16 SMs (0 to 15, 16 to 31, ...; gsu_options::network) are one network with cluster slots of its own. A
 *  cluster lies in one network, and networks exchange nothing. Time: inputs given before gsu_unit_step() belong to the cycle gsu_unit_now(); events of
 *  that cycle come through callbacks inside gsu_unit_step(). One request is one executed instruction of one group of lanes. A request is
 *  answered when each of its lanes has been named by a response or, for the waiting forms of bar.sync, bar.red and
 *  barrier.cluster.wait, by a release of its warp. Lane i is bit i of every mask. A cycle is one clock.
 *
 *  Every call that can fail returns a gsu_status. A negative status is an error, and gsu_last_error() gives it in words. A refused call
 *  has no effect. One thread at a time uses a unit, and creates or destroys one; each unit may be stepped by a thread of its own. No
 *  C++ exception leaves the library; callbacks must not leave it by longjmp or an exception either.
 *
 *  Growth: structures begin with their size as the caller knows it (GSU_INIT fills it in and clears the rest). Members are only
 *  added at the end, and 0 in a new member means the behaviour before it. The major number of the ABI changes when that breaks.
 *
 *  Licence: Apache-2.0. */
#ifndef GSU_H
#define GSU_H
#include <stdint.h>

#include "gsu_state.h"
#include "gsu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GSU_ABI_MAJOR 1 /**< also the number in the library's file name, libgsu.so.1 */
#define GSU_ABI_MINOR 9 /**< counts additions */
/** ABI version of this header, for gsu_options::abi. */
#define GSU_ABI ((uint32_t)GSU_ABI_MAJOR << 16 | (uint32_t)GSU_ABI_MINOR)
#ifdef __cplusplus
#define GSU_INIT(type)                                                                             \
    ([] {                                                                                          \
        type value_{};                                                                             \
        value_.size = (uint32_t)sizeof(type);                                                      \
        return value_;                                                                             \
    }())
#else
/** Initialiser of a structure of the given type: its size, the rest 0. Example: `gsu_launch l = GSU_INIT(gsu_launch);` */
#define GSU_INIT(type)                                                                             \
    {                                                                                              \
        .size = (uint32_t)sizeof(type)                                                             \
    }
#endif
/** No cycle: nothing will happen without input. */
#define GSU_NEVER UINT64_MAX

#if defined(__GNUC__)
/** Marks exported functions. */
#define GSU_API __attribute__((visibility("default")))
#else
#define GSU_API /**< Marks exported functions. */
#endif

/** A unit; made by gsu_unit_create(). */
typedef struct gsu_unit gsu_unit;

/** Reports and queries of a unit. Events come from inside gsu_unit_step(), in order; the structures live for the call only. A callback may call the
 *  functions that only ask. Functions that give an input, step or destroy the unit fail there with GSU_E_NESTED: note the event, and act when
 *  gsu_unit_step() has returned. NULL: the event is not of interest. */
typedef struct gsu_callbacks {
    uint32_t size;                                                 /**< sizeof(gsu_callbacks) */
    uint32_t reserved;                                             /**< 0 */
    void* user;                                                    /**< given to every callback */
    void (*on_response)(void* user, const gsu_response* response); /**< lanes may continue */
    void (*on_release)(void* user, const gsu_release* release); /**< waiting warps may continue */
    void (*on_commit)(void* user, const gsu_commit* commit);    /**< a barrier changed */
    void (*on_delivered)(void* user, const gsu_delivered* delivered); /**< remote data arrived */
    void (*on_cta_free)(void* user, const gsu_cta_free* cta);         /**< a CTA slot is free */
    /** Reads the 8 bytes at byte address `addr` (a multiple of 8) of the SM's shared memory, little-endian. Set both memory callbacks or none.
     *  Without them the unit keeps the words of mbarriers itself. */
    uint64_t (*read_word)(void* user, uint32_t sm, uint32_t addr);
    /** stores such a word */
    void (*write_word)(void* user, uint32_t sm, uint32_t addr, uint64_t value);
    /** A rule is broken. Comes after on_commit of the commit that shows it. Findings of the golden model alone (misuse of mbarriers without an error
     *  bit) come from the units "golden" and "lockstep". Added by 1.1. */
    void (*on_finding)(void* user, const gsu_finding* finding);
    /** Data named by a tag are dropped. Added by 1.3. */
    void (*on_dropped)(void* user, const gsu_delivered* data);
    /** Every CTA of a grid has signalled, or the grid is over. Added by 1.6. */
    void (*on_grid)(void* user, const gsu_grid_event* grid);
    /** A lane of try_cancel asks for a cluster: gsu_unit_answer_cancel(). Added by 1.6. */
    void (*on_cancel)(void* user, const gsu_cancel* query);
} gsu_callbacks;

/** Parameters of gsu_unit_create(). */
typedef struct gsu_options {
    uint32_t size;      /**< sizeof(gsu_options) */
    uint32_t abi;       /**< GSU_ABI */
    const char* unit;   /**< "rtl", "golden" or "lockstep" (both, compared); NULL: "lockstep" */
    const char* preset; /**< "hopper", "ampere", "blackwell" or "ideal"; NULL: "hopper" */
    const char* const*
        settings; /**< "KEY=VALUE" each, as for `gsu run --set`; NULL ends the list; NULL: none */
    uint32_t sms; /**< SMs, 1..256; more than `network` (since 1.3) are several networks */
    uint32_t assertions;            /**< 1: the RTL checks its own assertions, three times slower */
    const gsu_callbacks* callbacks; /**< copied; `user` must stay valid; NULL: none */
    /** Threads that evaluate the RTL of several SMs, 1 or 2; 0 counts as 1. The results are the same. 2 is refused for the golden unit and with
     *  `assertions`. Added by 1.1. */
    uint32_t threads;
    uint32_t events; /**< Events kept for gsu_unit_next_event(): gsu_event_mask. Added by 1.3 */
    uint32_t
        journal; /**< 1: inputs are kept, so that gsu_unit_save() can be called. Added by 1.3 */
    uint32_t reserved; /**< 0 */
    /** Structure of the SMs, "NAME=VALUE,..." as for `gsu build --with`, whose model is in the cache; NULL: the built-in structure. The golden unit
     *  needs no model. Added by 1.4. */
    const char* with;
    /** in place of `with`: name, file or folder of a model (gsu build). Added by 1.4 */
    const char* model;
    uint32_t network;   /**< SMs of each network, 1..18; 0: 16. Added by 1.9 */
    uint32_t reserved2; /**< 0 */
} gsu_options;

/** ABI of the library: major << 16 | minor. */
GSU_API uint32_t gsu_abi_version(void);
/** Version of GSU, for example "0.2.0". */
GSU_API const char* gsu_version(void);
/** Why the last failed call of this thread failed; "" if none did. Valid until the next failure. */
GSU_API const char* gsu_last_error(void);

/** Makes a unit in cycle 0.
 *  \param options parameters of the unit
 *  \param unit receives the handle; NULL after an error */
GSU_API gsu_status gsu_unit_create(const gsu_options* options, gsu_unit** unit);
/** Ends a unit; NULL is fine. Refused inside its own callbacks. */
GSU_API gsu_status gsu_unit_destroy(gsu_unit* unit);

/** 1 if a request may be given to SM `sm` in this cycle, else 0. */
GSU_API gsu_status gsu_unit_can_present(const gsu_unit* unit, uint32_t sm);
/** Presents a request in this cycle. Pre: its lanes live and have no open request, and its tag is free. */
GSU_API gsu_status gsu_unit_present(gsu_unit* unit, const gsu_request* request);
/** 1 if an asynchronous completion may be given to SM `sm` in this cycle, else 0. */
GSU_API gsu_status gsu_unit_can_notify(const gsu_unit* unit, uint32_t sm);
/** Gives an asynchronous completion in this cycle; GSU_E_BUSY if gsu_unit_can_notify() is 0. */
GSU_API gsu_status gsu_unit_notify(gsu_unit* unit, const gsu_async* update);
/** Places a CTA of a cluster on an SM, before the first launch of that cluster. */
GSU_API gsu_status gsu_unit_route(gsu_unit* unit, const gsu_route* route);
/** Starts a grid with dependents or prerequisites, or reports that a grid that runs elsewhere has ended; queued without limit. At most as many
 *  launches name the grid as it has CTAs. Added by 1.6. */
GSU_API gsu_status gsu_unit_grid(gsu_unit* unit, const gsu_grid* grid);
/** Starts a CTA in this cycle. Returns 1 if taken, 0 if not in this cycle (try again in the next). */
GSU_API gsu_status gsu_unit_launch(gsu_unit* unit, const gsu_launch* launch);
/** Lanes exit; queued without limit. */
GSU_API gsu_status gsu_unit_exit(gsu_unit* unit, const gsu_exit* lanes);
/** Reports that an ordinary store changed `bytes` bytes from `addr` of the SM's shared memory (the driver's memory, behind the memory callbacks). */
GSU_API gsu_status gsu_unit_stored(gsu_unit* unit, uint32_t sm, uint32_t addr, uint32_t bytes);
/** Returns the epoch, 0 or 1, of accesses that are announced now for this warp (`reach` GSU_REACH_CTA) or its CTA. Added by 1.2. */
GSU_API gsu_status gsu_unit_epoch(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t warp,
                                  uint32_t reach);
/** Announces outstanding accesses. A later release, fence or barrier waits until they are performed. A program may announce just before it gives such
 *  a request, and may leave out accesses that no such request follows. Memory of a program that announces nothing is performed when it is accessed. A
 *  remote red is announced only after its request was answered. Announced earlier, it could wait behind requests that wait for it. `epoch` is the
 *  present result of gsu_unit_epoch(). At most 65535 accesses may be outstanding for one warp (GSU_REACH_CTA) or one CTA in one epoch: GSU_E_STATE
 *  beyond. Added by 1.2. */
GSU_API gsu_status gsu_unit_announce(gsu_unit* unit, const gsu_accesses* accesses);
/** Reports that announced accesses are performed now: each once, under the epoch of its announcement, in any order. A CTA slot becomes free only when
 *  no announced access is left. Added by 1.2. */
GSU_API gsu_status gsu_unit_performed(gsu_unit* unit, const gsu_accesses* accesses);
/** Returns 1 if an answer to a query of try_cancel may be given to SM `sm` in this cycle, else 0. Added by 1.6. */
GSU_API gsu_status gsu_unit_can_answer_cancel(const gsu_unit* unit, uint32_t sm);
/** Answers a query of try_cancel in this cycle, once: its responses are delivered from now on. Requests of try_cancel need gsu_options::abi 1.6,
 *  because an older program does not answer. Added by 1.6. */
GSU_API gsu_status gsu_unit_answer_cancel(gsu_unit* unit, const gsu_cancel_answer* answer);
/** Reads the word at `addr` (a multiple of 8) of the SM's shared memory, wherever it is kept. With the write-back policy the RTL has the newest words
 *  of mbarriers in its cache. */
GSU_API gsu_status gsu_unit_read_word(const gsu_unit* unit, uint32_t sm, uint32_t addr,
                                      uint64_t* word);

/** Executes one cycle. */
GSU_API gsu_status gsu_unit_step(gsu_unit* unit);
/** Returns the cycle that the next gsu_unit_step() will execute. */
GSU_API gsu_status gsu_unit_now(const gsu_unit* unit, uint64_t* cycle);
/** Returns the first cycle in which anything may happen without input: gsu_unit_now() if not quiet, GSU_NEVER if nothing will. */
GSU_API gsu_status gsu_unit_quiet_until(const gsu_unit* unit, uint64_t* cycle);
/** Moves time to `cycle` at no cost. Pre: `cycle` is not beyond gsu_unit_quiet_until(), and this cycle has no input. */
GSU_API gsu_status gsu_unit_skip_to(gsu_unit* unit, uint64_t cycle);
/** Begins to dump waves of the RTL into an FST file. Allowed before the first gsu_unit_step() only. Refused by the golden unit, which has no waves,
 *  and by a unit with `assertions` or two threads. Added by 1.1. */
GSU_API gsu_status gsu_unit_open_waves(gsu_unit* unit, const gsu_waves* waves);
/** Ends the dump: the file is complete under its name. gsu_unit_destroy() also ends it, but reports no error. Added by 1.1. */
GSU_API gsu_status gsu_unit_close_waves(gsu_unit* unit);
/** Returns 1 if the unit broke down, else 0. Results after a breakdown have no meaning.
 *  \param unit the unit
 *  \param kind receives the gsu_fault_kind; may be NULL
 *  \param text receives a text that lives as long as the unit; may be NULL */
GSU_API gsu_status gsu_unit_fault(gsu_unit* unit, uint32_t* kind, const char** text);

/** Takes the oldest kept event (gsu_options::events). Returns 1, or 0 if there is none. Events are kept without limit until they are taken, in the
 *  order of the callbacks, which are called as well. Added by 1.3. */
GSU_API gsu_status gsu_unit_next_event(gsu_unit* unit, gsu_event* event);
/** State of a named barrier of a launched CTA. `state` comes from GSU_INIT, as in the following two functions. Added by 1.3. */
GSU_API gsu_status gsu_unit_barrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t id,
                                    gsu_barrier_state* state);
/** State of the mbarrier at byte `addr` (a multiple of 8) of a launched CTA's shared memory. Added by 1.3. */
GSU_API gsu_status gsu_unit_mbarrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t addr,
                                     gsu_mbarrier_state* state);
/** State of the cluster barrier of a launched CTA. Added by 1.3. */
GSU_API gsu_status gsu_unit_cluster(const gsu_unit* unit, uint32_t sm, uint32_t cta,
                                    gsu_cluster_state* state);
/** Describes the waiters and the missing warps in the sentences of `gsu run`: one for each barrier, the first six; "" if nobody waits. Lanes with an
 *  open request wait, and since 1.8 also lanes whose wait was answered with false at least twice in a row in the same way. CTAs are called "SM 0 CTA
 *  3" by SM and slot. The text describes the state; gsu_unit_hang() says whether it is a hang, and why.
 *  \param unit the unit
 *  \param text receives a text that lives until the next call of this function on this unit */
GSU_API gsu_status gsu_unit_explain(gsu_unit* unit, const char** text);
/** Sets the line of the program, as the driver counts, of the next request, completion or exit on this unit; once. It appears in the texts of
 *  gsu_unit_hang() and changes nothing else. Added by 1.8.
 *  \param unit the unit
 *  \param line 0: not known */
GSU_API gsu_status gsu_unit_line(gsu_unit* unit, uint32_t line);
/** Returns 1 if the unit hangs, else 0, and fills in the cause, as far as a port shows it: the rules need no control flow and no memory; a cause that
 *  they do not decide is "unknown". The driver provides what the unit cannot see: exited warps by gsu_unit_exit(), and the rest by `idle`. With
 *  `idle` the unit hangs if every live lane waits for something that has not come, and no clock brings it: gsu_unit_quiet_until() is GSU_NEVER, or,
 *  while limits of try_wait run, no barrier has changed for 10,000 cycles. `hang` is filled in either way. Added by 1.8.
 *  \param unit the unit
 *  \param idle 1: nothing else is in flight, that is, no copy, access or launch; lanes whose wait was answered with false only repeat it; no live
 *         lane has anything else to do. 0: not known; the result is 0
 *  \param hang receives the cause; from GSU_INIT */
GSU_API gsu_status gsu_unit_hang(gsu_unit* unit, uint32_t idle, gsu_hang* hang);
/** Resets a unit to the state after its creation: cycle 0, nothing launched, its own memory all 0, no events kept, no waves. Added by 1.3. */
GSU_API gsu_status gsu_unit_reset(gsu_unit* unit);
/** Writes a checkpoint, from which gsu_unit_restore() reaches this cycle again. It is the journal of all inputs since cycle 0 (and of the words that
 *  the memory callbacks have read), not the state: 10 to 20 bytes for an input, and about 6 for each lane of a request with addresses. Refused
 *  without gsu_options::journal. Added by 1.3.
 *  \param unit the unit
 *  \param data receives the bytes; NULL to ask for their number
 *  \param capacity room at `data`
 *  \param bytes receives the number of bytes; if it is more than `capacity`: GSU_E_ARGUMENT, nothing is written */
GSU_API gsu_status gsu_unit_save(const gsu_unit* unit, void* data, uint64_t capacity,
                                 uint64_t* bytes);
/** Brings a unit to the cycle of the checkpoint: resets it and executes the journal again, which takes as long as the original run, without callbacks
 *  and events. The checkpoint's cycle bounds the steps, and nothing bounds that cycle: restore only what you have saved. The unit has a journal and
 *  the same kind, preset, settings and number of SMs as the saved one; it may be a unit of another process. The driver restores its own memory; it is
 *  neither read nor written here. After an error of the checkpoint the unit is as after gsu_unit_reset(), or untouched if the checkpoint is not one
 *  of such a unit. Added by 1.3. */
GSU_API gsu_status gsu_unit_restore(gsu_unit* unit, const void* data, uint64_t bytes);

/** Name of a gsu_op, for example "BarSync"; NULL if there is none. */
GSU_API const char* gsu_op_name(uint32_t op);
/** Name of a gsu_cause; NULL if there is none. */
GSU_API const char* gsu_cause_name(uint32_t cause);
/** Name of a gsu_source; NULL if there is none. */
GSU_API const char* gsu_source_name(uint32_t source);
/** Name of a gsu_part; NULL if there is none. */
GSU_API const char* gsu_part_name(uint32_t part);
/** Name of a status, for example "GSU_E_BUSY"; NULL if there is none. */
GSU_API const char* gsu_status_name(gsu_status status);

#ifdef __cplusplus
}
#endif
#endif
