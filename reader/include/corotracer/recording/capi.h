/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors
 * SPDX-License-Identifier: MIT
 *
 * Reads recordings of coroutines (.ctr): the interface that the library has, plain C, for any language that can call
 * it. C++ programs include <corotracer/recording/reader.h>, which is this with spans and without a call to forget.
 *
 * What stays: functions keep their meaning and arguments, rows (ctr_transition ... ctr_process_end, ctr_block,
 * ctr_damage) keep their members and size. What is said to grow gets members at its end: it is only ever seen through a
 * pointer that the library returned.
 *
 * The file is untrusted. Whatever is in it, no call crashes or loops, and what is given out keeps the rules of the
 * stream: sites come before their first use, births before anything else of their coroutine, the transitions of one
 * coroutine in the order of their numbers, deaths last. What is damaged is left out and told.
 *
 * Coroutines are numbered from 0 in the order of their births, sites from 1. Times are ns of the CLOCK_MONOTONIC of the
 * machine that was recorded; "clocks" in ctr_info() relates them to others. Texts are as the target wrote them: meant
 * to be UTF-8, unchecked, and not ended by a 0.
 *
 * A reader may be used by one thread at a time, different ones by different threads. Nothing throws. What a call
 * returns a pointer to belongs to the reader.
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

/* A place in the source where coroutines suspend. */
typedef struct ctr_site {
    uint32_t id;     /* from 1; 0 in others' rows: the target did not say */
    uint32_t line;   /* from 1; 0 = unknown */
    uint32_t column; /* from 1; 0 = unknown */
    uint32_t reserved;
    ctr_text file;
    ctr_text function;
} ctr_site;

enum ctr_dialect { CTR_DIALECT_UNKNOWN = 0, CTR_DIALECT_SEQLOCK = 1, CTR_DIALECT_MONOTONIC = 2, CTR_DIALECT_LANE = 3 };

typedef struct ctr_birth {
    uint64_t probe_id; /* as the target named it, often an address; used again */
    uint64_t ts;       /* 0 = unknown */
    uint32_t coroutine;
    uint32_t station; /* where it wrote, and the how manieth there: docs/ctp.md */
    uint32_t generation;
    uint32_t pid;     /* 0 = unknown */
    uint32_t dialect; /* enum ctr_dialect */
    uint32_t reserved;
} ctr_birth;

enum ctr_point { CTR_AWAIT = 0, CTR_INITIAL = 1, CTR_FINAL = 2, CTR_YIELD = 3 };

/* A coroutine was resumed or suspended. */
typedef struct ctr_transition {
    uint64_t ts;
    uint64_t addr; /* as the target wrote it: an instruction or the coroutine's frame; 0 = none */
    uint64_t n;    /* number of the transition in its coroutine; one that is missing was lost. Less than 2^56 */
    uint64_t seq;  /* as it stood in the slot: docs/ctp.md */
    uint32_t coroutine;
    uint32_t tid;   /* thread of the operating system */
    uint32_t site;  /* 0 = unknown */
    uint8_t kind;   /* enum ctr_point: the sort of its suspension point */
    uint8_t active; /* 1 = resumed, 0 = suspended */
} ctr_transition;

/* Transitions first_n to first_n + count - 1 of a coroutine were never seen. */
typedef struct ctr_loss {
    uint64_t first_n;
    uint64_t count;
    uint32_t coroutine;
    uint32_t before_attach; /* 1 = they were made before the capture began */
} ctr_loss;

typedef struct ctr_death {
    uint64_t ts;
    uint32_t coroutine;
    uint32_t reserved;
} ctr_death;

enum ctr_flag_reason { CTR_TWO_WRITERS = 0, CTR_DIALECT_CONTRADICTION = 1 };

/* What was read of this coroutine contradicts itself: draw no conclusions from it. */
typedef struct ctr_flag {
    uint32_t coroutine;
    uint32_t reason; /* enum ctr_flag_reason */
} ctr_flag;

typedef struct ctr_name {
    uint32_t coroutine;
    uint32_t reserved;
    ctr_text name;
} ctr_name;

/* `parent` created `coroutine`, or waits for its result. */
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

/* What a suspension waits for. */
typedef struct ctr_wait {
    uint64_t n;      /* of the suspension */
    uint64_t object; /* an address, a descriptor, or of a timer the time when it ends */
    uint32_t coroutine;
    uint32_t target; /* of CTR_WAIT_COROUTINE; CTR_NONE = not said */
    uint32_t kind;   /* enum ctr_wait_kind */
    uint32_t reserved;
} ctr_wait;

/* Somebody made a suspended coroutine ready. */
typedef struct ctr_wake {
    uint64_t n; /* transitions of `coroutine` that the waker saw: it meant the suspension n - 1 */
    uint64_t ts;
    uint32_t coroutine;
    uint32_t by;  /* a coroutine; CTR_NONE = not said */
    uint32_t pid; /* of the waker */
    uint32_t tid;
} ctr_wake;

/* So many records of a thread found no room from first_ts to last_ts. Transitions among them show as losses, too. */
typedef struct ctr_drop {
    uint64_t records;
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

typedef struct ctr_process {
    uint64_t ts; /* 0 = unknown */
    uint32_t pid;
    uint32_t reserved;
    ctr_text name; /* of its executable; may be empty */
} ctr_process;

/* It lived at that time, and later no more. */
typedef struct ctr_process_end {
    uint64_t ts;
    uint32_t pid;
    uint32_t reserved;
} ctr_process_end;

typedef struct ctr_thread_name {
    uint32_t pid;
    uint32_t tid;
    ctr_text name;
} ctr_thread_name;

/* What the target wrote to its terminal, any bytes, and when they were read. */
typedef struct ctr_output {
    uint64_t ts;
    ctr_text bytes;
} ctr_output;

/* ---- What belongs together; grows ---- */

/* One pass of the capture. What it holds is in each sort in the order of the stream. */
typedef struct ctr_batch {
    uint64_t now; /* when it was taken; of what follows nothing is later in the target */
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
} ctr_batch;

/* captured + lost + missed_before_attach = what the traced coroutines made. */
typedef struct ctr_sums {
    uint64_t captured;             /* transitions */
    uint64_t lost;                 /* transitions */
    uint64_t missed_before_attach; /* transitions */
    uint64_t coroutines;           /* traced */
    uint64_t coroutines_missed;    /* traced, but overwritten without a trace */
    uint64_t untraced;             /* coroutines that had no station */
    uint64_t born_while_off;
    uint64_t born_before_init;
    uint64_t flagged;
    uint64_t sites_dropped;
    uint64_t records_dropped;
    uint64_t notes_dropped;     /* wakes and waits of a flight recorder that were no longer in memory */
    uint64_t notes_lost;        /* names, parents, wakes and waits of coroutines that were never discovered */
    uint64_t not_written;       /* a part of captured that the file has not got */
    uint64_t times_approximate; /* 1 = some times may be wrong: a processor's counter jumped or ran backwards */
} ctr_sums;

/* A part of a file that was left out. */
typedef struct ctr_damage {
    uint64_t offset;
    uint64_t bytes;
    uint64_t transitions; /* that were in it, as far as that is known; 0 at the end of the file: unknown */
    uint32_t file;        /* of the recording, from 0: ctr_overview.files */
    uint32_t at_end;      /* 1 = nothing whole follows: the file was cut off, or is still being written */
} ctr_damage;

enum ctr_kind { CTR_KIND_INFO = 1, CTR_KIND_STREAM = 2, CTR_KIND_KEYFRAME = 3, CTR_KIND_OUTPUT = 4 };

/* A block of a file: docs/recording.md. */
typedef struct ctr_block {
    uint64_t offset;
    uint64_t first_ts; /* the earliest time in it */
    uint64_t last_ts;
    uint32_t transitions;
    uint32_t file; /* ctr_overview.files */
    uint32_t kind; /* enum ctr_kind; there may be others */
    uint32_t reserved;
} ctr_block;

/* What a recording says of itself in the heads of its blocks, known without reading the events. */
typedef struct ctr_overview {
    uint64_t first_ts; /* of the stream; 0 = there is none */
    uint64_t last_ts;
    uint64_t transitions;
    uint64_t bytes; /* of all files */
    const ctr_text *files;
    size_t file_count;
    const ctr_block *blocks; /* in the order of the stream */
    size_t block_count;
    const ctr_damage *damages; /* that show by that; ctr_damages() tells all */
    size_t damage_count;
    const ctr_sums *sums; /* of the whole session, the latest that were written; NULL = none were */
    const char *info;     /* see ctr_info(); of the whole recording */
    uint32_t ended;       /* 1 = the recording was ended in order */
} ctr_overview;

/* ---- Calls ---- */

typedef struct ctr_reader ctr_reader;

enum ctr_status {
    CTR_GOOD = 0,
    CTR_DAMAGED = 1, /* something was left out; all the rest was, or can be, read */
    CTR_FAILED = 2   /* nothing (more) can be read */
};

/* Opens the recording that a file is (a part) of: of one that was rotated all files that are still there are read,
 * whichever is named. Never fails but for want of memory, when it returns NULL: ask ctr_status(). */
CTR_API ctr_reader *ctr_open(const char *path);
/* Also of NULL. What the reader returned is gone with it. */
CTR_API void ctr_close(ctr_reader *reader);

/* enum ctr_status, at present; CTR_DAMAGED is known when ctr_next() has returned NULL. */
CTR_API int ctr_status(const ctr_reader *reader);
/* One sentence that says what is wrong, where, and what to do; "" with CTR_GOOD. Valid until the next call. */
CTR_API const char *ctr_message(const ctr_reader *reader);

/* The next part of the stream; NULL: there is none, ctr_status() says why. Valid until the next ctr_next(). */
CTR_API const ctr_batch *ctr_next(ctr_reader *reader);
/* 0 to 1: how much of the files ctr_next() has read. */
CTR_API double ctr_progress(const ctr_reader *reader);
/* Of what ctr_next() has given so far, and as the recording says of the rest. Valid until the next call of it. */
CTR_API const ctr_sums *ctr_sums_of(ctr_reader *reader);
/* What was said of the run up to here, at the beginning what stands before the stream: a JSON object, UTF-8, as
 * docs/recording.md ("Kind 1") lays it down. Never NULL. Valid until the next call of it. */
CTR_API const char *ctr_info(ctr_reader *reader);
/* What was left out so far. Returns how many there are, and where they are in *damages, until the next call. */
CTR_API size_t ctr_damages(ctr_reader *reader, const ctr_damage **damages);
/* 1 = ctr_next() has met the end of a recording that was ended in order. */
CTR_API int ctr_ended(const ctr_reader *reader);

/* Extent, blocks and sums, by the heads of the blocks: milliseconds, however long the recording. Does not move
 * ctr_next(). NULL: they cannot be read, ctr_message() says why. Made once, and valid as long as the reader. */
CTR_API const ctr_overview *ctr_overview_of(ctr_reader *reader);
/* How many transitions there were in each of `columns` equal parts of the time from `from` to (not with) `to`, as the
 * heads of the blocks tell. Returns 1, or 0 without an overview, and then leaves `transitions` as it is. */
CTR_API int ctr_over_time(ctr_reader *reader, uint64_t from, uint64_t to, double *transitions, size_t columns);

/* Version of the library: "0.1.0". */
CTR_API const char *ctr_version(void);

#ifdef __cplusplus
}
#endif

#endif
