/** \file gsu.h
 *  The synchronization unit of a GPU (named barriers, warp joins, cluster barriers, mbarriers) for programs in C and every language
 *  that can call C: library `gsu`, pkg-config package `gsu`.
 *
 *  A *unit* serves SMs and owns time. Every 16 SMs (0 to 15, 16 to 31, ...; gsu_options::network) are one network with cluster slots of its own: a cluster
 *  lies in one of them, and nothing is said between networks. Time: inputs given before gsu_unit_step() belong to the cycle gsu_unit_now(); events of
 *  that cycle come through callbacks inside gsu_unit_step(). One request is one executed instruction of one group of lanes. It is
 *  answered when each of its lanes has been named by a response or, for the waiting forms of bar.sync, bar.red and
 *  barrier.cluster.wait, by a release of its warp. Lane i is bit i of every mask. A cycle is one clock.
 *
 *  Every call that can fail returns a gsu_status; negative is an error and gsu_last_error() says it in words. What a call refuses
 *  has no effect. One thread at a time uses a unit, and creates or destroys one; units may be stepped by threads of their own. No
 *  C++ exception leaves the library; callbacks must not leave it by longjmp or an exception either.
 *
 *  Growth: structures begin with their size as the caller knows it (GSU_INIT fills it in and clears the rest), members are only
 *  ever added at the end, and 0 in a new member means what was before it. The major number of the ABI changes when that breaks.
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
/** What this header describes; to be put into gsu_options::abi. */
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
/** Marks what the library exports. */
#define GSU_API __attribute__((visibility("default")))
#else
#define GSU_API /**< Marks what the library exports. */
#endif

/** A unit; made by gsu_unit_create(). */
typedef struct gsu_unit gsu_unit;

/** What a unit reports and asks for. Events come from inside gsu_unit_step(), in order; the structures live for the call only.
 *  Inside a callback the unit may be asked, but takes no input and is not stepped or destroyed (GSU_E_NESTED): note what happened,
 *  act when gsu_unit_step() has returned. NULL: not of interest. */
typedef struct gsu_callbacks {
    uint32_t size;                                                 /**< sizeof(gsu_callbacks) */
    uint32_t reserved;                                             /**< 0 */
    void* user;                                                    /**< given to every callback */
    void (*on_response)(void* user, const gsu_response* response); /**< lanes may continue */
    void (*on_release)(void* user, const gsu_release* release); /**< waiting warps may continue */
    void (*on_commit)(void* user, const gsu_commit* commit);    /**< a barrier changed */
    void (*on_delivered)(void* user, const gsu_delivered* delivered); /**< remote data arrived */
    void (*on_cta_free)(void* user, const gsu_cta_free* cta);         /**< a CTA slot is free */
    /** The 8 bytes at byte address `addr` (a multiple of 8) of the SM's shared memory, little-endian. Both memory callbacks or
     *  none: then the unit keeps the words of mbarriers itself. */
    uint64_t (*read_word)(void* user, uint32_t sm, uint32_t addr);
    void (*write_word)(void* user, uint32_t sm, uint32_t addr, uint64_t value); /**< stores them */
    /** A rule is broken. Comes after on_commit of the commit that shows it. What only the golden model sees (misuse of mbarriers that no
     *  error bit stands for) comes from the units "golden" and "lockstep". Added by 1.1. */
    void (*on_finding)(void* user, const gsu_finding* finding);
    /** Data named by a tag are dropped. Added by 1.3. */
    void (*on_dropped)(void* user, const gsu_delivered* data);
    /** Every CTA of a grid has signalled, or the grid is over. Added by 1.6. */
    void (*on_grid)(void* user, const gsu_grid_event* grid);
    /** A lane of try_cancel asks for a cluster: gsu_unit_answer_cancel(). Added by 1.6. */
    void (*on_cancel)(void* user, const gsu_cancel* query);
} gsu_callbacks;

/** What to make. */
typedef struct gsu_options {
    uint32_t size;      /**< sizeof(gsu_options) */
    uint32_t abi;       /**< GSU_ABI */
    const char* unit;   /**< "rtl", "golden" or "lockstep" (both, compared); NULL: "lockstep" */
    const char* preset; /**< "hopper", "ampere", "blackwell" or "ideal"; NULL: "hopper" */
    const char* const*
        settings; /**< "KEY=VALUE" each, as of `gsu run --set`; NULL ends the list; NULL: none */
    uint32_t sms; /**< 1..256; more than `network` (since 1.3) are several networks */
    uint32_t assertions;            /**< 1: the RTL checks its own assertions, three times slower */
    const gsu_callbacks* callbacks; /**< copied; `user` must stay valid; NULL: none */
    /** Threads that evaluate the RTL of several SMs, 1 or 2; 0 counts as 1. Same results. 2 is refused with the golden unit and with
     *  `assertions`. Added by 1.1. */
    uint32_t threads;
    uint32_t events; /**< kept for gsu_unit_next_event(): gsu_event_mask. Added by 1.3 */
    uint32_t
        journal; /**< 1: inputs are kept, so that gsu_unit_save() can be called. Added by 1.3 */
    uint32_t reserved; /**< 0 */
    /** Structure of the SMs, "NAME=VALUE,..." as of `gsu build --with`, whose model is in the cache; NULL: what is built in. The golden unit needs no
     *  model. Added by 1.4. */
    const char* with;
    const char* model;  /**< name, file or folder of a model instead (gsu build). Added by 1.4 */
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
 *  \param options what to make
 *  \param unit where its handle goes; NULL after an error */
GSU_API gsu_status gsu_unit_create(const gsu_options* options, gsu_unit** unit);
/** Ends a unit; NULL is fine. Refused inside its own callbacks. */
GSU_API gsu_status gsu_unit_destroy(gsu_unit* unit);

/** 1 if a request may be given to SM `sm` in this cycle, else 0. */
GSU_API gsu_status gsu_unit_can_present(const gsu_unit* unit, uint32_t sm);
/** Gives a request in this cycle. Its lanes run, have no open request, and its tag is free. */
GSU_API gsu_status gsu_unit_present(gsu_unit* unit, const gsu_request* request);
/** 1 if an asynchronous completion may be given to SM `sm` in this cycle, else 0. */
GSU_API gsu_status gsu_unit_can_notify(const gsu_unit* unit, uint32_t sm);
/** Gives an asynchronous completion in this cycle. */
GSU_API gsu_status gsu_unit_notify(gsu_unit* unit, const gsu_async* update);
/** Tells where a CTA of a cluster will live. */
GSU_API gsu_status gsu_unit_route(gsu_unit* unit, const gsu_route* route);
/** A grid with dependents or prerequisites starts, or one that runs elsewhere has ended; queued without limit. No more launches name it than it
 *  has CTAs. Added by 1.6. */
GSU_API gsu_status gsu_unit_grid(gsu_unit* unit, const gsu_grid* grid);
/** Starts a CTA in this cycle: 1 if taken, 0 if not in this cycle (try again in the next). */
GSU_API gsu_status gsu_unit_launch(gsu_unit* unit, const gsu_launch* launch);
/** Lanes leave; queued without limit. */
GSU_API gsu_status gsu_unit_exit(gsu_unit* unit, const gsu_exit* lanes);
/** An ordinary store changed `bytes` bytes from `addr` of the SM's shared memory (the driver's, by the memory callbacks). */
GSU_API gsu_status gsu_unit_stored(gsu_unit* unit, uint32_t sm, uint32_t addr, uint32_t bytes);
/** 0 or 1: the epoch to which accesses belong that are announced now for this warp (`reach` GSU_REACH_CTA) or its CTA. Added by 1.2. */
GSU_API gsu_status gsu_unit_epoch(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t warp,
                                  uint32_t reach);
/** These accesses are outstanding: a release, fence or barrier that is given from now on waits until they are performed. A program may wait with
 *  it until it gives such a request, and leave out what no such request follows; one that announces nothing has its memory performed
 *  when it is accessed. What a request still carries (a red to another CTA) may be announced when that has been answered: before, it may be
 *  behind those that wait for it. `epoch` as gsu_unit_epoch() says now. At most 65535 may be outstanding for one warp (GSU_REACH_CTA) or one CTA in
 *  one epoch: GSU_E_STATE beyond. Added by 1.2. */
GSU_API gsu_status gsu_unit_announce(gsu_unit* unit, const gsu_accesses* accesses);
/** Announced accesses are performed now: each once, under the epoch of its announcement, in any order. A CTA slot is free only when none is
 *  left. Added by 1.2. */
GSU_API gsu_status gsu_unit_performed(gsu_unit* unit, const gsu_accesses* accesses);
/** 1 if an answer to a query of try_cancel may be given to SM `sm` in this cycle, else 0. Added by 1.6. */
GSU_API gsu_status gsu_unit_can_answer_cancel(const gsu_unit* unit, uint32_t sm);
/** Answers a query of try_cancel in this cycle, once: its responses are delivered from now on. Requests of try_cancel need gsu_options::abi 1.6: an older
 *  program does not answer. Added by 1.6. */
GSU_API gsu_status gsu_unit_answer_cancel(gsu_unit* unit, const gsu_cancel_answer* answer);
/** The word at `addr` (a multiple of 8) of the SM's shared memory, wherever it is kept. The RTL keeps the newest words of mbarriers
 *  in its cache while the policy is write-back. */
GSU_API gsu_status gsu_unit_read_word(const gsu_unit* unit, uint32_t sm, uint32_t addr,
                                      uint64_t* word);

/** One cycle. */
GSU_API gsu_status gsu_unit_step(gsu_unit* unit);
/** The cycle that the next gsu_unit_step() will execute. */
GSU_API gsu_status gsu_unit_now(const gsu_unit* unit, uint64_t* cycle);
/** The first cycle in which anything may happen without input: gsu_unit_now() if not quiet, GSU_NEVER if nothing will. */
GSU_API gsu_status gsu_unit_quiet_until(const gsu_unit* unit, uint64_t* cycle);
/** Moves time to `cycle` at no cost: not beyond gsu_unit_quiet_until(), and without an input in this cycle. */
GSU_API gsu_status gsu_unit_skip_to(gsu_unit* unit, uint64_t cycle);
/** Dumps waves of the RTL into an FST file. Before the first gsu_unit_step() only; refused by the golden unit, which has none, and by a
 *  unit with `assertions` or two threads. Added by 1.1. */
GSU_API gsu_status gsu_unit_open_waves(gsu_unit* unit, const gsu_waves* waves);
/** Ends the dump: the file is complete under its name. gsu_unit_destroy() does it, too, and tells no error. Added by 1.1. */
GSU_API gsu_status gsu_unit_close_waves(gsu_unit* unit);
/** 1 if the unit broke down, else 0: results after that have no meaning.
 *  \param unit the unit
 *  \param kind where the gsu_fault_kind goes; may be NULL
 *  \param text where a text goes that lives as long as the unit; may be NULL */
GSU_API gsu_status gsu_unit_fault(gsu_unit* unit, uint32_t* kind, const char** text);

/** Takes the oldest event that was kept (gsu_options::events): 1, or 0 when there is none. Events are kept without limit until they are
 *  taken, in the order of the callbacks, which are called as well. Added by 1.3. */
GSU_API gsu_status gsu_unit_next_event(gsu_unit* unit, gsu_event* event);
/** State of a named barrier of a launched CTA. `state` comes from GSU_INIT, as in the following two. Added by 1.3. */
GSU_API gsu_status gsu_unit_barrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t id,
                                    gsu_barrier_state* state);
/** State of the mbarrier at byte `addr` (a multiple of 8) of a launched CTA's shared memory. Added by 1.3. */
GSU_API gsu_status gsu_unit_mbarrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t addr,
                                     gsu_mbarrier_state* state);
/** State of the cluster barrier of a launched CTA. Added by 1.3. */
GSU_API gsu_status gsu_unit_cluster(const gsu_unit* unit, uint32_t sm, uint32_t cta,
                                    gsu_cluster_state* state);
/** Who waits for what and who is missing, in the sentences of `gsu run`: one for each barrier, the first six; "" if nobody waits.
 *  Lanes wait that have an open request, and since 1.8 those whose wait was answered with false at least twice in a row in the same way. CTAs are
 *  called "SM 0 CTA 3" by SM and slot. It says what is; whether that is a hang, and why, says gsu_unit_hang().
 *  \param unit the unit
 *  \param text where a text goes that lives until the next call of this function on this unit */
GSU_API gsu_status gsu_unit_explain(gsu_unit* unit, const char** text);
/** The line of the program, as the driver counts, of the request, completion or exit that is given next on this unit; once. For the texts of
 *  gsu_unit_hang() only: it changes nothing else. Added by 1.8.
 *  \param unit the unit
 *  \param line 0: not known */
GSU_API gsu_status gsu_unit_line(gsu_unit* unit, uint32_t line);
/** 1 if the unit hangs, else 0, and why, as far as a port tells: the rules need no control flow and no memory; what they do not decide is
 *  "unknown". What the unit cannot see the driver says: warps that have left by gsu_unit_exit(), and the rest by `idle`. With it every lane
 *  that lives waits for something that has not come, and no clock brings it: gsu_unit_quiet_until() is GSU_NEVER, or, while limits of try_wait
 *  run, no barrier has changed for 10,000 cycles. `hang` is filled in either way. Added by 1.8.
 *  \param unit the unit
 *  \param idle 1: nothing else is under way: no copy, no access, no launch; lanes whose wait was answered with false only ask again; no lane that
 *         lives has anything else to do. 0: it is not known; the result is 0
 *  \param hang where the cause goes; from GSU_INIT */
GSU_API gsu_status gsu_unit_hang(gsu_unit* unit, uint32_t idle, gsu_hang* hang);
/** As it was made: cycle 0, nothing launched, memory of its own all 0, no events kept, no waves. Added by 1.3. */
GSU_API gsu_status gsu_unit_reset(gsu_unit* unit);
/** Writes a checkpoint: what gsu_unit_restore() needs to come to this cycle again. It is the journal of all inputs since cycle 0 (and of
 *  what the memory callbacks have read), not the state: 10 to 20 bytes for an input, and about 6 for each lane of a request with addresses. Refused without
 *  gsu_options::journal. Added by 1.3.
 *  \param unit the unit
 *  \param data where the bytes go; NULL to ask how many they are
 *  \param capacity room there
 *  \param bytes how many they are; more than `capacity`: GSU_E_ARGUMENT, nothing is written */
GSU_API gsu_status gsu_unit_save(const gsu_unit* unit, void* data, uint64_t capacity,
                                 uint64_t* bytes);
/** Brings a unit to where the checkpoint was made: resets it and executes the journal again, which takes as long as it did, without
 *  callbacks and events. The checkpoint's cycle bounds the steps, and nothing bounds that cycle: restore only what you have saved. The unit
 *  has the same kind, preset, settings and number of SMs as the one that was saved, and a journal; it may be one of another process. The
 *  driver brings back its memory itself; it is neither read nor written here. After an error of the checkpoint the unit is as after
 *  gsu_unit_reset(), or untouched if the checkpoint is not one of such a unit. Added by 1.3. */
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
