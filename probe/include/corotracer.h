/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: MIT */
/*
 * The probe for C and for every language that can call C: schedulers with stackful or stackless coroutines.
 *
 *     #include "corotracer.h"
 *
 *     corotracer_init();                           // in main, before the first coroutine
 *     corotracer_birth(&task->trace, "task 1");    // when the task is created
 *     corotracer_resume(&task->trace);             // before the scheduler switches to it
 *     corotracer_suspend(&task->trace, COROTRACER_AWAIT, COROTRACER_HERE);  // before it switches away
 *     corotracer_death(&task->trace);              // before the memory of the task is freed
 *
 * C11 or C++11, gcc or clang, Linux. Link the static library: cc program.c $(pkg-config --cflags --libs
 * corotracer-probe-c). It needs no C++ runtime. It shares its state with C++ code that includes coroTracer.h: in one
 * executable both are one probe. docs/probe/c.md is the manual.
 *
 * No function allocates memory, prints to stdout or changes errno. corotracer_init and
 * corotracer_start_flight_recorder print one line to stderr if they fail. Without a region, and for a coroutine that is
 * not traced, all functions do nothing. While tracing is off, a report of an event or of its causes costs one load and
 * one branch, which are inline.
 *
 * Threads: a coroutine is passed as `self` by one thread at a time. After corotracer_suspend has returned, and not
 * before, another thread may resume the coroutine. Functions without `self` may be called by any thread at any time.
 * After fork, the child is off until it calls corotracer_init itself, and the coroutines that it inherited are untraced
 * there.
 *
 * Binary interface: within one COROTRACER_ABI the sizes and fields of the structs, the numbers of the constants and the
 * signatures stay as they are, and functions are only added. A program that was compiled with an older header of the
 * same number may be linked with a newer library. The linker reports objects of another number: they refer to a symbol
 * that does not exist.
 */
#ifndef COROTRACER_C_H
#define COROTRACER_C_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Functions about events test inline whether tracing is on. -DCOROTRACER_NO_INLINE leaves this part out, for
 * translators to other languages: then all functions are called in the library, and test there.
 */
#ifdef COROTRACER_NO_INLINE
#define COROTRACER_INLINE
#else
#define COROTRACER_INLINE inline
#endif

/* Number of the binary interface, of C and of C++. */
#define COROTRACER_ABI 2

/* Kinds of suspension point, for corotracer_suspend. */
enum {
    COROTRACER_AWAIT = 0,   /* the coroutine waits, or yields to the scheduler */
    COROTRACER_INITIAL = 1, /* before it runs for the first time; may be left out */
    COROTRACER_FINAL = 2,   /* it has ended, and its memory is kept */
    COROTRACER_YIELD = 3    /* it hands out a value, as a generator */
};

/* Kinds of object that a coroutine waits for. The number that belongs to each is in corotracer_wait::object. */
enum {
    COROTRACER_WAIT_UNKNOWN = 0,
    COROTRACER_WAIT_LOCK = 1,       /* a mutex or a semaphore: address of the object */
    COROTRACER_WAIT_CHANNEL = 2,    /* a queue or a pipe between coroutines: address of the object */
    COROTRACER_WAIT_DESCRIPTOR = 3, /* a file descriptor to become ready: its number */
    COROTRACER_WAIT_TIMER = 4,      /* a deadline: ns of CLOCK_MONOTONIC */
    COROTRACER_WAIT_COROUTINE = 5,  /* another coroutine to end or to yield: corotracer_identity of it */
    COROTRACER_WAIT_OTHER = 6       /* any other object: its address */
};

/*
 * A coroutine, in memory of the program: usually a member of the program's own struct. All fields belong to the
 * library. Memory that is all zero is an untraced coroutine, and may be passed to every function. It must not be moved
 * or copied between birth and death.
 */
typedef struct corotracer_coroutine {
    uint64_t state[14];
    uint32_t traced; /* 0: untraced, and nothing else has a meaning */
    uint32_t site;
    uint32_t point;
    uint32_t reserved;
} corotracer_coroutine;

/*
 * A line of source code. The texts are known by their addresses: they must stay unchanged until the process ends, like
 * literals. Names are UTF-8.
 */
typedef struct corotracer_location {
    const char *file;     /* not null */
    const char *function; /* not null; "" = unknown */
    uint32_t line;        /* from 1, 0 = unknown */
    uint32_t column;      /* from 1, 0 = unknown */
} corotracer_location;

/* One object that a coroutine waits for. */
typedef struct corotracer_wait {
    uint32_t kind; /* COROTRACER_WAIT_LOCK ... */
    uint32_t reserved;
    uint64_t object; /* address, descriptor, deadline or identity, as `kind` says */
} corotracer_wait;

/* Options of the flight recorder. 0 or null in a field means its default, so zeroed options are the defaults. */
typedef struct corotracer_flight_options {
    const char *path;      /* file to create, or an existing directory for it [/dev/shm/corotracer-UID] */
    uint64_t lane_bytes;   /* bytes of each thread's lane: 64 KiB to 128 MiB, an event needs 32 [8 MiB] */
    uint64_t pool_bytes;   /* bytes of all lanes together, at most half of the free space [256 MiB] */
    uint32_t retention_ms; /* how long the history of an ended thread is kept from new threads, ms [0] */
    uint32_t coroutines;   /* most coroutines alive at a time [2097151] */
    uint32_t keep_old;     /* number of older files to keep, in the standard directory [4] */
    uint32_t reserved0;    /* 0 */
    uint64_t reserved[8];  /* 0 */
} corotracer_flight_options;

/* A pointer to the location of this line, constant and valid until the process ends. Only inside of functions. */
#define COROTRACER_HERE                                                                                                \
    (__extension__({                                                                                                   \
        static const corotracer_location corotracer_here_ = {__FILE__, __func__, __LINE__, 0};                         \
        &corotracer_here_;                                                                                             \
    }))

/* ------------------------------------------------------------ process and thread */

/* Returns COROTRACER_ABI of the library. */
uint32_t corotracer_abi(void);

/*
 * Switches tracing on: joins the region that CTP_SHM_PATH, CTP_SOCK_PATH and CTP_MAX_STATIONS name, else starts the
 * flight recorder if CTP_FLIGHT_RECORDER is set, else does nothing. Call it once, before the first coroutine is born;
 * further calls do nothing. Takes about 0.2 ms.
 */
void corotracer_init(void);

/*
 * Starts the flight recorder: the process writes its latest events into its own region file. If an engine started the
 * process, the engine records instead. `options`: null = defaults. Returns whether the process has a region now.
 */
bool corotracer_start_flight_recorder(const corotracer_flight_options *options);

/* Returns the path of the file of the flight recorder, "" if there is none. Valid until the process ends. */
const char *corotracer_flight_recorder_path(void);

/*
 * Switches tracing off or on, for all threads of the process. Coroutines born while it is off stay untraced for life.
 * Other coroutines publish no events until it is on again.
 */
void corotracer_enable(bool on);

/* Returns whether the process is traced at present: it has a region, and the program has not switched tracing off. */
COROTRACER_INLINE bool corotracer_enabled(void);

/* Names the calling thread. UTF-8, cut after 4,096 bytes. Call it after corotracer_init. Needs lanes. */
void corotracer_name_thread(const char *name);

/* Returns CLOCK_MONOTONIC in ns, as events contain it and as deadlines are given. */
uint64_t corotracer_get_ns(void);

/* ------------------------------------------------------------ life of a coroutine */

/*
 * Begins the life of a coroutine, in the thread that creates it. Overwrites *self. The coroutine that runs on this
 * thread is its parent. `name`: null = none; see corotracer_set_name.
 */
void corotracer_birth(corotracer_coroutine *self, const char *name);

/* Ends the life of a coroutine. It is untraced from then on, until its memory is used for another birth. */
void corotracer_death(corotracer_coroutine *self);

/* Returns whether the coroutine is traced. Also true while tracing is off; false in a forked child. */
bool corotracer_is_traced(const corotracer_coroutine *self);

/*
 * Returns a number that identifies the coroutine in this region, for corotracer_wait::object. 2^64 - 1 = none: it is
 * not traced, or the region has no lanes.
 */
uint64_t corotracer_identity(const corotracer_coroutine *self);

/* Names the coroutine from now on. UTF-8, cut after 4,096 bytes. Names that many coroutines share cost least. */
void corotracer_set_name(corotracer_coroutine *self, const char *name);

/* Reports the coroutine that created `self`, where that is not the one that ran on the thread of its birth. */
void corotracer_set_parent(corotracer_coroutine *self, const corotracer_coroutine *parent);

/*
 * Reports that the coroutine has finished, where no final suspension is reported. It cannot run any more, but its
 * memory may be kept. No event. `where`: null = unknown.
 */
void corotracer_finished(corotracer_coroutine *self, const corotracer_location *where);

/* ------------------------------------------------------------ events and their causes; one load and branch if off */

/*
 * Publishes a suspension, in the thread that runs the coroutine, before another thread may resume it. `point`:
 * COROTRACER_AWAIT ... `where`: null = unknown; the views then show the caller of this function.
 */
COROTRACER_INLINE void corotracer_suspend(corotracer_coroutine *self, uint32_t point, const corotracer_location *where);

/* Publishes a resumption, in the thread that will run the coroutine. The first one may come without a suspension. */
COROTRACER_INLINE void corotracer_resume(corotracer_coroutine *self);

/*
 * Reports what a suspension waits for: the next one, or the present one, as long as no other thread can resume the
 * coroutine. `kind`: COROTRACER_WAIT_LOCK ... `object`: as in corotracer_wait. `deadline_ns`: the wait ends then in any
 * case, ns of CLOCK_MONOTONIC; 0 = no deadline.
 */
COROTRACER_INLINE void corotracer_waits_on(corotracer_coroutine *self, uint32_t kind, uint64_t object,
                                           uint64_t deadline_ns);

/* As corotracer_waits_on, for another coroutine. */
COROTRACER_INLINE void corotracer_awaits(corotracer_coroutine *self, const corotracer_coroutine *other);

/* As corotracer_waits_on, for several objects. The wait ends with any one of them, or with all. At most 2^18. */
COROTRACER_INLINE void corotracer_waits_for_any(corotracer_coroutine *self, const corotracer_wait *objects,
                                                uint32_t count);
COROTRACER_INLINE void corotracer_waits_for_all(corotracer_coroutine *self, const corotracer_wait *objects,
                                                uint32_t count);

/*
 * Reports that `target` was made runnable: call it before `target` is handed over to be resumed. `by`: the coroutine
 * that did it, null = unknown. Any thread; `target` must not die during the call.
 */
COROTRACER_INLINE void corotracer_wake(const corotracer_coroutine *target, const corotracer_coroutine *by);

/* Reports how many objects are left that could wake `target`; with 0 it can never run again. As corotracer_wake. */
COROTRACER_INLINE void corotracer_wakers_left(const corotracer_coroutine *target, uint64_t count);

/* Reports that the coroutine that runs on this thread has acquired `object`, right after the acquisition. */
COROTRACER_INLINE void corotracer_acquired(const void *object, const corotracer_location *where);

/* Reports that the coroutine that runs on this thread releases `object`, right before the release. */
COROTRACER_INLINE void corotracer_released(const void *object, const corotracer_location *where);

/*
 * Reports that `object` is signalled: an event is set, a condition notified, a value sent. Call it before a waiter can
 * run, and also when no coroutine waits: so a notification that came before its wait becomes visible.
 */
COROTRACER_INLINE void corotracer_signalled(const void *object, const corotracer_location *where);

/* ------------------------------------------------------------ the inline part */

#ifndef COROTRACER_NO_INLINE

/*
 * 0 = off. Written by the library. Relaxed, because the functions behind the branch load it again (acquire; partner:
 * the store of corotracer_init).
 */
extern uint32_t corotracer_session __asm__("_ZN10corotracer2v26detail7page_v2E");
#define COROTRACER_IS_ON() (__atomic_load_n(&corotracer_session, __ATOMIC_RELAXED) != 0)

/* Kinds of use, for corotracer_on_use. */
enum { COROTRACER_USE_ACQUIRED = 0x61, COROTRACER_USE_RELEASED = 0x62, COROTRACER_USE_SIGNALLED = 0x63 };

void corotracer_on_suspend(corotracer_coroutine *self, uint32_t point, const corotracer_location *where);
void corotracer_on_resume(corotracer_coroutine *self);
void corotracer_on_wait(corotracer_coroutine *self, uint32_t kind, uint64_t object, uint64_t deadline_ns);
void corotracer_on_await(corotracer_coroutine *self, const corotracer_coroutine *other);
void corotracer_on_waits(corotracer_coroutine *self, const corotracer_wait *objects, uint32_t count, bool for_all);
void corotracer_on_wake(const corotracer_coroutine *target, const corotracer_coroutine *by);
void corotracer_on_wakers_left(const corotracer_coroutine *target, uint64_t count);
void corotracer_on_use(const void *object, const corotracer_location *where, uint32_t use);

COROTRACER_INLINE bool corotracer_enabled(void)
{
    return COROTRACER_IS_ON();
}
COROTRACER_INLINE void corotracer_suspend(corotracer_coroutine *self, uint32_t point, const corotracer_location *where)
{
    if (COROTRACER_IS_ON())
        corotracer_on_suspend(self, point, where);
}
COROTRACER_INLINE void corotracer_resume(corotracer_coroutine *self)
{
    if (COROTRACER_IS_ON())
        corotracer_on_resume(self);
}
COROTRACER_INLINE void corotracer_waits_on(corotracer_coroutine *self, uint32_t kind, uint64_t object,
                                           uint64_t deadline_ns)
{
    if (COROTRACER_IS_ON())
        corotracer_on_wait(self, kind, object, deadline_ns);
}
COROTRACER_INLINE void corotracer_awaits(corotracer_coroutine *self, const corotracer_coroutine *other)
{
    if (COROTRACER_IS_ON())
        corotracer_on_await(self, other);
}
COROTRACER_INLINE void corotracer_waits_for_any(corotracer_coroutine *self, const corotracer_wait *objects,
                                                uint32_t count)
{
    if (COROTRACER_IS_ON())
        corotracer_on_waits(self, objects, count, false);
}
COROTRACER_INLINE void corotracer_waits_for_all(corotracer_coroutine *self, const corotracer_wait *objects,
                                                uint32_t count)
{
    if (COROTRACER_IS_ON())
        corotracer_on_waits(self, objects, count, true);
}
COROTRACER_INLINE void corotracer_wake(const corotracer_coroutine *target, const corotracer_coroutine *by)
{
    if (COROTRACER_IS_ON())
        corotracer_on_wake(target, by);
}
COROTRACER_INLINE void corotracer_wakers_left(const corotracer_coroutine *target, uint64_t count)
{
    if (COROTRACER_IS_ON())
        corotracer_on_wakers_left(target, count);
}
COROTRACER_INLINE void corotracer_acquired(const void *object, const corotracer_location *where)
{
    if (COROTRACER_IS_ON())
        corotracer_on_use(object, where, COROTRACER_USE_ACQUIRED);
}
COROTRACER_INLINE void corotracer_released(const void *object, const corotracer_location *where)
{
    if (COROTRACER_IS_ON())
        corotracer_on_use(object, where, COROTRACER_USE_RELEASED);
}
COROTRACER_INLINE void corotracer_signalled(const void *object, const corotracer_location *where)
{
    if (COROTRACER_IS_ON())
        corotracer_on_use(object, where, COROTRACER_USE_SIGNALLED);
}

#endif /* COROTRACER_NO_INLINE */

#ifdef __cplusplus
}
#endif

#endif
