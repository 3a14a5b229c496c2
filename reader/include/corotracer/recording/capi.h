/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors
 * SPDX-License-Identifier: MIT
 *
 * Reads recordings of coroutines (.ctr). This is the interface of the library, in plain C, for any language that can
 * call C. C++ programs include <corotracer/recording/reader.h>, an inline wrapper with spans and an owner.
 *
 * Stability: functions keep their meaning and arguments. Rows (ctr_transition ... ctr_process_end, ctr_block,
 * ctr_damage) keep their members and size. Structures in the section "Structures that grow" get new members at their
 * end. Programs use them only through pointers that the library returned.
 *
 * The file is untrusted. Whatever it contains, no call crashes or loops forever, and the stream keeps its order. A site
 * precedes its first use. A birth precedes all other rows of its coroutine, and a death follows them. The transitions
 * of a coroutine are in the order of their numbers. Damaged parts are left out and reported.
 *
 * Coroutines are numbered from 0 in the order of their births, sites from 1. Times are ns of the CLOCK_MONOTONIC of the
 * recorded machine; "clocks" in ctr_info() relates them to other clocks. Texts are unchanged from the target: they
 * should be UTF-8, but are unchecked, and have no terminating 0.
 *
 * Only one thread at a time may use a reader. Different threads may use different readers. No call throws. The reader
 * owns the data behind all pointers that its calls return.
 *
 * See docs/decisions/0014-the-reader-for-others.md.
 */
#ifndef COROTRACER_RECORDING_CAPI_H
#define COROTRACER_RECORDING_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CTR_API __attribute__((visibility("default")))
#else
#define CTR_API
#endif

/* ---- Rows ---- */

typedef struct ctr_text {
    const char *data; /* never NULL */
    size_t size;      /* bytes */
} ctr_text;

/* No coroutine. */
#define CTR_NONE UINT32_C(0xFFFFFFFF)

/* A suspension point in the source of the target. */
typedef struct ctr_site {
    uint32_t id;     /* from 1; other rows use 0 for an unknown site */
    uint32_t line;   /* from 1; 0 = unknown */
    uint32_t column; /* from 1; 0 = unknown */
    uint32_t reserved;
    ctr_text file;
    ctr_text function;
} ctr_site;

enum ctr_dialect { CTR_DIALECT_UNKNOWN = 0, CTR_DIALECT_SEQLOCK = 1, CTR_DIALECT_MONOTONIC = 2, CTR_DIALECT_LANE = 3 };

/* A coroutine was discovered. */
typedef struct ctr_birth {
    uint64_t probe_id; /* from the target, often an address; not unique */
    uint64_t ts;       /* 0 = unknown */
    uint32_t coroutine;
    uint32_t station;    /* number of its station: docs/ctp.md */
    uint32_t generation; /* number of the coroutine in its station: docs/ctp.md */
    uint32_t pid;        /* 0 = unknown */
    uint32_t dialect;    /* enum ctr_dialect */
    uint32_t reserved;
} ctr_birth;

enum ctr_point { CTR_AWAIT = 0, CTR_INITIAL = 1, CTR_FINAL = 2, CTR_YIELD = 3 };

/* A coroutine was resumed or suspended. */
typedef struct ctr_transition {
    uint64_t ts;
    uint64_t addr; /* from the target: address of an instruction or of the coroutine's frame; 0 = none */
    uint64_t n;    /* number of the transition in its coroutine, less than 2^56; a missing number is lost or missed */
    uint64_t seq;  /* seq of the slot: docs/ctp.md */
    uint32_t coroutine;
    uint32_t tid;   /* thread id of the operating system */
    uint32_t site;  /* 0 = unknown */
    uint8_t kind;   /* enum ctr_point: sort of the suspension point */
    uint8_t active; /* 1 = resumed, 0 = suspended */
} ctr_transition;

/* Transitions first_n to first_n + count - 1 of a coroutine are lost or missed. */
typedef struct ctr_loss {
    uint64_t first_n;
    uint64_t count;
    uint32_t coroutine;
    uint32_t before_attach; /* 1 = missed: gone before the capture attached; 0 = lost */
} ctr_loss;

typedef struct ctr_death {
    uint64_t ts;
    uint32_t coroutine;
    uint32_t reserved;
} ctr_death;

enum ctr_flag_reason { CTR_TWO_WRITERS = 0, CTR_DIALECT_CONTRADICTION = 1 };

/* The data of this coroutine contradict themselves. Draw no conclusions from them. */
typedef struct ctr_flag {
    uint32_t coroutine;
    uint32_t reason; /* enum ctr_flag_reason */
} ctr_flag;

typedef struct ctr_name {
    uint32_t coroutine;
    uint32_t reserved;
    ctr_text name;
} ctr_name;

/* `parent` created `coroutine`. */
typedef struct ctr_parent {
    uint32_t coroutine;
    uint32_t parent;
} ctr_parent;

enum ctr_wait_kind {
    CTR_WAIT_UNKNOWN = 0,
    CTR_WAIT_LOCK = 1,
    CTR_WAIT_CHANNEL = 2,
    CTR_WAIT_DESCRIPTOR = 3,
    CTR_WAIT_TIMER = 4,
    CTR_WAIT_COROUTINE = 5,
    CTR_WAIT_OTHER = 6
};

/* A suspension waits for an object. */
typedef struct ctr_wait {
    uint64_t n;      /* number of the suspension */
    uint64_t object; /* address, descriptor, or end time of a timer */
    uint32_t coroutine;
    uint32_t target; /* the awaited coroutine, for CTR_WAIT_COROUTINE; CTR_NONE = unknown */
    uint32_t kind;   /* enum ctr_wait_kind */
    /* 0 = the suspension waits for this object alone. Otherwise it waits for several, and has a row for each: 2 i + 1
     * for object i (from 0) if the wait ends with any of them, 2 i + 2 if it ends with all of them. */
    uint32_t part;
} ctr_wait;

/* A thread or a coroutine made a suspended coroutine runnable. */
typedef struct ctr_wake {
    uint64_t n; /* transitions of `coroutine` that the waker saw; it woke suspension n - 1 */
    uint64_t ts;
    uint32_t coroutine; /* the woken coroutine */
    uint32_t by;        /* the waking coroutine; CTR_NONE = unknown */
    uint32_t pid;       /* process of the waker */
    uint32_t tid;       /* thread of the waker */
} ctr_wake;

enum ctr_use_kind { CTR_ACQUIRED = 0, CTR_RELEASED = 1, CTR_SIGNALLED = 2 };

/* A coroutine, or a thread without one, used an object. */
typedef struct ctr_use {
    uint64_t n;      /* transitions of `by` so far */
    uint64_t object; /* its address */
    uint64_t ts;
    uint32_t by;   /* the coroutine; CTR_NONE = unknown */
    uint32_t kind; /* enum ctr_use_kind */
    uint32_t site; /* where; 0 = unknown */
    uint32_t pid;
    uint32_t tid;
    uint32_t reserved;
} ctr_use;

/* The target reports how many objects are left that could wake a coroutine. */
typedef struct ctr_wakers_left {
    uint64_t n; /* transitions of `coroutine` that the reporter saw */
    uint64_t count;
    uint64_t ts;
    uint32_t coroutine;
    uint32_t reserved;
} ctr_wakers_left;

/* The body of a coroutine has ended without a traced final suspension. Its frame may be kept. */
typedef struct ctr_finish {
    uint64_t ts;
    uint32_t coroutine;
    uint32_t site; /* where; 0 = unknown */
} ctr_finish;

/* The lane of a thread was full from first_ts to last_ts and refused records. Refused transitions also appear as
 * losses. */
typedef struct ctr_drop {
    uint64_t records; /* records dropped */
    uint64_t first_ts;
    uint64_t last_ts;
    uint32_t pid;
    uint32_t tid;
} ctr_drop;

/* A process switched tracing on or off. */
typedef struct ctr_switch {
    uint64_t ts;
    uint32_t pid;
    uint32_t on;
} ctr_switch;

/* A process of the target was discovered. */
typedef struct ctr_process {
    uint64_t ts; /* when its tracing started; 0 = unknown */
    uint32_t pid;
    uint32_t reserved;
    ctr_text name; /* name of the executable; may be empty */
} ctr_process;

/* A process is gone. */
typedef struct ctr_process_end {
    uint64_t ts; /* when it was last known alive; its last transitions may be slightly later */
    uint32_t pid;
    uint32_t reserved;
} ctr_process_end;

typedef struct ctr_thread_name {
    uint32_t pid;
    uint32_t tid;
    ctr_text name;
} ctr_thread_name;

enum ctr_thread_state {
    CTR_THREAD_UNKNOWN = 0,
    CTR_THREAD_RUNNING = 1, /* on a processor, or waits for one */
    CTR_THREAD_SLEEPING = 2,
    CTR_THREAD_UNINTERRUPTIBLE = 3,
    CTR_THREAD_STOPPED = 4,
    CTR_THREAD_TRACED = 5,
    CTR_THREAD_ENDED = 6
};

enum ctr_thread_call {
    CTR_CALL_UNKNOWN = 0,
    CTR_CALL_NONE = 1,
    CTR_CALL_FUTEX = 2,
    CTR_CALL_EPOLL = 3,
    CTR_CALL_POLL = 4,
    CTR_CALL_SLEEP = 5,
    CTR_CALL_DESCRIPTOR = 6, /* reads, writes, accepts or connects */
    CTR_CALL_PROCESS = 7,    /* waits for the end of a process */
    CTR_CALL_SIGNAL = 8,
    CTR_CALL_RING = 9, /* io_uring */
    CTR_CALL_OTHER = 10
};

/* The capture saw that a thread changed. It holds until the next row about the thread. */
typedef struct ctr_thread_sample {
    uint64_t ts;
    uint64_t object;       /* CTR_CALL_FUTEX: address; CTR_CALL_EPOLL, _DESCRIPTOR, _RING: the descriptor; else 0 */
    uint64_t cpu_ns;       /* processor time of the thread so far */
    uint64_t run_delay_ns; /* time that it has waited for a processor; 0 = not counted */
    uint32_t pid;
    uint32_t tid;
    uint32_t state; /* enum ctr_thread_state */
    uint32_t call;  /* enum ctr_thread_call: where it sleeps, or was stopped */
    uint32_t timed; /* 1 = a timeout ends the call */
    uint32_t reserved;
} ctr_thread_sample;

enum ctr_descriptor_kind {
    CTR_DESCRIPTOR_UNKNOWN = 0,
    CTR_DESCRIPTOR_CLOSED = 1,
    CTR_DESCRIPTOR_REMOVED = 2, /* from this epoll */
    CTR_DESCRIPTOR_EPOLL = 3,
    CTR_DESCRIPTOR_TIMER = 4,
    CTR_DESCRIPTOR_EVENT = 5,
    CTR_DESCRIPTOR_SIGNAL = 6,
    CTR_DESCRIPTOR_SOCKET = 7,
    CTR_DESCRIPTOR_LISTENER = 8,
    CTR_DESCRIPTOR_PIPE = 9,
    CTR_DESCRIPTOR_TERMINAL = 10,
    CTR_DESCRIPTOR_OTHER = 11
};

/* The capture saw that a descriptor changed that is registered in an epoll. */
typedef struct ctr_descriptor_sample {
    uint64_t ts;
    uint64_t pending; /* delivered, and not fetched: expirations, counter, bytes or connections; UINT64_MAX = unknown */
    uint64_t deadline; /* next expiration of a timer; 0 = not armed */
    uint32_t pid;
    uint32_t descriptor;
    uint32_t epoll; /* descriptor of the epoll */
    uint32_t kind;  /* enum ctr_descriptor_kind */
    uint32_t events;
    uint32_t tcp_state; /* TCP_ESTABLISHED ... of <netinet/tcp.h>; 0 = none, or unknown */
    uint32_t read_ends; /* 1 = the peer of a socket has ended its side */
    uint32_t can_write; /* 1 = a connected socket whose send queue is empty */
    uint32_t reserved;
} ctr_descriptor_sample;

/* The capture has looked at a process. The last three members: everything of that sort has rows. */
typedef struct ctr_process_sample {
    uint64_t ts;             /* all earlier changes of threads have rows */
    uint64_t descriptors_ts; /* all earlier changes of descriptors have rows; 0 = they have none */
    uint64_t stopped_since;  /* all threads are stopped, and were not yet at that time; 0 = they run */
    uint32_t pid;
    uint32_t threads; /* threads that have not ended; 0 = the process has ended */
    uint32_t threads_known;
    uint32_t calls_known;
    uint32_t descriptors_known;
    uint32_t reserved;
    uint64_t machine_suspended; /* ns: the machine was suspended for so long in all, before */
} ctr_process_sample;

/* Output that the target wrote to its terminal. */
typedef struct ctr_output {
    uint64_t ts;    /* when the output was read */
    ctr_text bytes; /* any bytes */
} ctr_output;

/* ---- Structures that grow ---- */

/* One pass of the capture, or several in a row. The rows of each array are in the order of the stream. */
typedef struct ctr_batch {
    uint64_t now; /* time of the last pass */
    const ctr_site *sites;
    size_t site_count;
    const ctr_birth *births;
    size_t birth_count;
    const ctr_loss *losses;
    size_t loss_count;
    const ctr_transition *transitions;
    size_t transition_count;
    const ctr_death *deaths;
    size_t death_count;
    const ctr_flag *flags;
    size_t flag_count;
    const ctr_name *names;
    size_t name_count;
    const ctr_parent *parents;
    size_t parent_count;
    const ctr_wait *waits;
    size_t wait_count;
    const ctr_wake *wakes;
    size_t wake_count;
    const ctr_drop *drops;
    size_t drop_count;
    const ctr_switch *switches;
    size_t switch_count;
    const ctr_process *processes;
    size_t process_count;
    const ctr_process_end *process_ends;
    size_t process_end_count;
    const ctr_thread_name *thread_names;
    size_t thread_name_count;
    const ctr_output *outputs;
    size_t output_count;
    const ctr_use *uses;
    size_t use_count;
    const ctr_wakers_left *wakers_left;
    size_t wakers_left_count;
    const ctr_finish *finishes;
    size_t finish_count;
    const ctr_thread_sample *thread_samples;
    size_t thread_sample_count;
    const ctr_descriptor_sample *descriptor_samples;
    size_t descriptor_sample_count;
    const ctr_process_sample *process_samples;
    size_t process_sample_count;
} ctr_batch;

/* captured + lost + missed_before_attach = the transitions that the traced coroutines published. The losses of the
 * stream add up to lost + missed_before_attach, without lost_without_coroutine and missed_without_coroutine. */
typedef struct ctr_sums {
    uint64_t captured;             /* transitions in the stream */
    uint64_t lost;                 /* transitions that were overwritten or dropped before they were captured */
    uint64_t missed_before_attach; /* transitions that were gone before the capture attached */
    uint64_t coroutines;           /* traced coroutines */
    uint64_t coroutines_missed;    /* traced coroutines whose records were all overwritten */
    uint64_t untraced;             /* coroutines without a station */
    uint64_t born_while_off;       /* coroutines born while tracing was off */
    uint64_t born_before_init;     /* coroutines born before tracing was first switched on */
    uint64_t flagged;              /* coroutines with contradictory data, see ctr_flag */
    uint64_t sites_dropped;        /* registrations of sites that found no room */
    uint64_t records_dropped;      /* records that found no room in a lane, were overwritten unread, or damaged */
    uint64_t
        notes_dropped;    /* wakes, waits, uses and the like that were no longer in memory when the file was written */
    uint64_t notes_lost;  /* names, parents, wakes and similar rows that name an unknown coroutine */
    uint64_t not_written; /* a part of captured: transitions that are missing in the file */
    uint64_t times_approximate;        /* 1 = some times may be wrong, because a processor's counter was unreliable */
    uint64_t lost_without_coroutine;   /* a part of lost: transitions of coroutines_missed */
    uint64_t missed_without_coroutine; /* a part of missed_before_attach: transitions of coroutines_missed */
} ctr_sums;

/* A part of a file that was left out. */
typedef struct ctr_damage {
    uint64_t offset;      /* bytes from the start of the file */
    uint64_t bytes;       /* length of the part */
    uint64_t transitions; /* transitions in the part, as far as known; 0 at the end of the file: unknown */
    uint32_t file;        /* index of the file in ctr_overview.files */
    uint32_t at_end;      /* 1 = no whole block follows: the file was cut off, or is still being written */
} ctr_damage;

enum ctr_kind { CTR_KIND_INFO = 1, CTR_KIND_STREAM = 2, CTR_KIND_KEYFRAME = 3, CTR_KIND_OUTPUT = 4 };

/* A block of a file: docs/recording.md. */
typedef struct ctr_block {
    uint64_t offset;      /* bytes from the start of the file */
    uint64_t first_ts;    /* earliest time in the block */
    uint64_t last_ts;     /* latest time in the block */
    uint32_t transitions; /* transitions in the block */
    uint32_t file;        /* index of the file in ctr_overview.files */
    uint32_t kind;        /* enum ctr_kind, or another value */
    uint32_t reserved;
} ctr_block;

/* Facts about a recording from the heads of its blocks. Getting them does not read the events. */
typedef struct ctr_overview {
    uint64_t first_ts;    /* earliest time in the stream; 0 = no times */
    uint64_t last_ts;     /* latest time in the stream */
    uint64_t transitions; /* transitions in the stream */
    uint64_t bytes;       /* size of all files */
    const ctr_text *files;
    size_t file_count;
    const ctr_block *blocks; /* in the order of the stream */
    size_t block_count;
    const ctr_damage *damages; /* damages that the heads show; ctr_damages() returns all */
    size_t damage_count;
    const ctr_sums *sums; /* the last written sums of the whole run; NULL = none were written */
    const char *info;     /* like ctr_info(), for the whole recording */
    uint32_t ended;       /* 1 = the recording is complete: its writer ended it properly */
} ctr_overview;

/* ---- Calls ---- */

typedef struct ctr_reader ctr_reader;

enum ctr_status {
    CTR_GOOD = 0,
    CTR_DAMAGED = 1, /* damaged parts were left out, or the file was made from a part; everything else was read */
    CTR_FAILED = 2   /* nothing, or nothing more, can be read */
};

/* Opens a recording. `path` may be any file of a recording that rotates: the reader reads all files that still exist.
 * Returns NULL only if there is no memory. Any other error shows in ctr_status(). */
CTR_API ctr_reader *ctr_open(const char *path);
/* Frees the reader and all data that its calls returned. `reader` may be NULL. */
CTR_API void ctr_close(ctr_reader *reader);

/* Returns the present enum ctr_status. CTR_DAMAGED appears only when ctr_next() has reached the end. */
CTR_API int ctr_status(const ctr_reader *reader);
/* Returns one sentence with the problem, its position and the remedy; "" for CTR_GOOD. Valid until the next call. */
CTR_API const char *ctr_message(const ctr_reader *reader);

/* Returns the next pass of the stream. NULL: there is no more, see ctr_status(). Valid until the next ctr_next() or
 * ctr_next_rows(). */
CTR_API const ctr_batch *ctr_next(ctr_reader *reader);
/* Like ctr_next(), but joins passes until they have `rows` rows of all sorts together, or end. For programs for which
 * each call is expensive: a pass may have a single row, and rarely has more than some thousands. */
CTR_API const ctr_batch *ctr_next_rows(ctr_reader *reader, size_t rows);
/* Returns the part of the files that ctr_next() has read, 0 to 1. */
CTR_API double ctr_progress(const ctr_reader *reader);
/* Returns the sums. captured, coroutines and flagged count the rows that ctr_next() has returned so far. So do lost and
 * missed_before_attach, except for their parts without a coroutine. These parts and all other sums are the last that
 * the recording contains up to here. Valid until the next call of it. */
CTR_API const ctr_sums *ctr_sums_of(ctr_reader *reader);
/* Returns the facts about the run up to here as a JSON object in UTF-8; docs/recording.md ("Kind 1") defines it. Before
 * the first ctr_next(), these are the facts in front of the stream. Never NULL. Valid until the next call of it. */
CTR_API const char *ctr_info(ctr_reader *reader);
/* Returns the number of parts left out so far, and sets *damages to their array. Valid until the next call of it. */
CTR_API size_t ctr_damages(ctr_reader *reader, const ctr_damage **damages);
/* Returns 1 if ctr_next() has reached the end of a recording that its writer ended properly. */
CTR_API int ctr_ended(const ctr_reader *reader);

/* Returns extent, blocks and sums from the heads of the blocks. This needs milliseconds, however long the recording is.
 * Does not affect ctr_next(). NULL: they cannot be read, see ctr_message(). Valid as long as the reader. */
CTR_API const ctr_overview *ctr_overview_of(ctr_reader *reader);
/* Estimates, from the heads of the blocks, the number of transitions in each of `columns` equal parts of the time
 * [from, to). Divides the time into 1,048,576 parts at most; further columns become 0. Returns 1, or 0 without an
 * overview; then `transitions` is unchanged. */
CTR_API int ctr_over_time(ctr_reader *reader, uint64_t from, uint64_t to, double *transitions, size_t columns);

/* Returns the version of the library, such as "0.1.0". */
CTR_API const char *ctr_version(void);

#ifdef __cplusplus
}
#endif

#endif
