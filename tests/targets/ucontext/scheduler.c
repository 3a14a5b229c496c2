/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucontext.h>

enum { kStackBytes = 128 * 1024 };

struct task {
    corotracer_coroutine trace;
    ucontext_t context;
    void (*run)(void *);
    void *argument;
    task *next;     /* in a task_list */
    task *all_next; /* in the list of tasks that have not ended */
    task *all_previous;
    void *stack;
};

static ucontext_t scheduler_context;
static task_list ready;
static task *running; /* null: the scheduler itself runs */
static task *all;     /* tasks that have not ended */
static task *ended;   /* its stack is freed by the scheduler, which runs on another one */
static scheduler_counts counts;

static void *must(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

static void push(task_list *list, task *last)
{
    last->next = NULL;
    if (list->first == NULL)
        list->first = last;
    else
        list->last->next = last;
    list->last = last;
}

static task *pop(task_list *list)
{
    task *first = list->first;
    if (first != NULL)
        list->first = first->next;
    return first;
}

static void count_event(const task *self)
{
    counts.events += corotracer_is_traced(&self->trace) ? 1 : 0;
}

/* Switches from the running task to the scheduler, and returns when the task is resumed. */
static void suspend(uint32_t point, const corotracer_location *where)
{
    corotracer_suspend(&running->trace, point, where);
    count_event(running);
    swapcontext(&running->context, &scheduler_context);
}

static void enter(void)
{
    running->run(running->argument);
    ended = running;
    suspend(COROTRACER_FINAL, COROTRACER_HERE);
}

void task_start(const char *name, void (*run)(void *), void *argument)
{
    task *self = must(calloc(1, sizeof *self));
    self->run = run;
    self->argument = argument;
    self->stack = must(malloc(kStackBytes));
    self->all_next = all;
    if (all != NULL)
        all->all_previous = self;
    all = self;
    getcontext(&self->context);
    self->context.uc_stack.ss_sp = self->stack;
    self->context.uc_stack.ss_size = kStackBytes;
    makecontext(&self->context, enter, 0);
    corotracer_birth(&self->trace, name);
    if (corotracer_is_traced(&self->trace))
        ++counts.traced;
    else
        ++counts.untraced;
    ++counts.alive;
    push(&ready, self);
}

static void free_task(task *self)
{
    if (self->all_previous != NULL)
        self->all_previous->all_next = self->all_next;
    else
        all = self->all_next;
    if (self->all_next != NULL)
        self->all_next->all_previous = self->all_previous;
    corotracer_death(&self->trace);
    free(self->stack);
    free(self);
}

void task_yield(const corotracer_location *where)
{
    push(&ready, running);
    suspend(COROTRACER_AWAIT, where);
}

void channel_send(channel *to, uint64_t value, const corotracer_location *where)
{
    if (to->count == to->capacity) {
        to->capacity = to->capacity == 0 ? 8 : 2 * to->capacity;
        to->values = must(realloc(to->values, to->capacity * sizeof *to->values));
    }
    to->values[to->count++] = value;
    corotracer_signalled(to, where);
    ++counts.signals;
    task *receiver = pop(&to->waiting);
    if (receiver == NULL)
        return;
    corotracer_wake(&receiver->trace, &running->trace);
    ++counts.wakes;
    push(&ready, receiver);
}

void channel_wait(channel *from, const corotracer_location *where)
{
    corotracer_waits_on(&running->trace, COROTRACER_WAIT_CHANNEL, (uint64_t)(uintptr_t)from, 0);
    push(&from->waiting, running);
    suspend(COROTRACER_AWAIT, where);
}

uint64_t channel_receive(channel *from, const corotracer_location *where)
{
    while (from->count == 0)
        channel_wait(from, where);
    uint64_t value = from->values[0];
    memmove(from->values, from->values + 1, --from->count * sizeof value);
    return value;
}

void channel_clear(channel *which)
{
    free(which->values);
    memset(which, 0, sizeof *which);
}

void scheduler_run(void)
{
    while ((running = pop(&ready)) != NULL) {
        corotracer_resume(&running->trace);
        count_event(running);
        swapcontext(&scheduler_context, &running->context);
        if (ended != NULL) {
            free_task(ended);
            --counts.alive;
            ended = NULL;
        }
    }
}

void scheduler_clear(void)
{
    while (all != NULL)
        free_task(all);
}

const scheduler_counts *scheduler_get_counts(void)
{
    return &counts;
}
