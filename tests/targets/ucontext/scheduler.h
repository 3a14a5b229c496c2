/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scheduler for stackful coroutines in C, on one thread: tasks on ucontext, and channels between them. It is the
 * example of docs/probe/c.md: the lines that call corotracer_ are all that tracing needs.
 */
#ifndef CT_UCONTEXT_SCHEDULER_H
#define CT_UCONTEXT_SCHEDULER_H

#include "corotracer.h"

#include <stddef.h>

typedef struct task task;

/* A queue of tasks, linked by the tasks themselves. */
typedef struct task_list {
    task *first;
    task *last;
} task_list;

/* A channel without limit for numbers. */
typedef struct channel {
    uint64_t *values;
    size_t count;
    size_t capacity;
    task_list waiting;
} channel;

/* What the scheduler has done, to compare with what an engine has seen. */
typedef struct scheduler_counts {
    uint64_t events;   /* suspensions and resumptions of traced tasks */
    uint64_t traced;   /* tasks */
    uint64_t untraced; /* tasks */
    uint64_t alive;    /* tasks that have not ended */
    uint64_t wakes;
    uint64_t signals;
} scheduler_counts;

/* Makes a task that calls run(argument). It runs when scheduler_run reaches it. Ends the program if memory is spent. */
void task_start(const char *name, void (*run)(void *), void *argument);

/* Lets all other tasks that are ready run. Only in a task. */
void task_yield(const corotracer_location *where);

/* Sends a value, and wakes the task that waits longest. Only in a task. */
void channel_send(channel *to, uint64_t value, const corotracer_location *where);

/* Waits until a task sends. Only in a task. */
void channel_wait(channel *from, const corotracer_location *where);

/* Returns the oldest value, and waits for one if there is none. Only in a task. */
uint64_t channel_receive(channel *from, const corotracer_location *where);

/* Frees the memory of a channel. */
void channel_clear(channel *which);

/* Runs tasks until none is ready. */
void scheduler_run(void);

/* Frees the tasks that have not ended. */
void scheduler_clear(void);

const scheduler_counts *scheduler_get_counts(void);

#endif
