/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Producers and consumers on the ucontext scheduler. Each producer sends one number per turn; its consumer receives it.
 * With --lose, one more consumer gives up its turn between its check for a value and its wait. The only value comes in
 * that turn, when no task waits. So the wake-up is lost, and the consumer waits for ever. --seconds: after the last
 * turn the program stays for so long, or until SIGTERM.
 */
#define _GNU_SOURCE
#include "ucontext/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <time.h>

typedef struct pair {
    channel numbers;
    uint64_t rounds;
    uint64_t sum;
} pair;

static void produce(void *argument)
{
    pair *self = argument;
    for (uint64_t i = 1; i <= self->rounds; ++i) {
        channel_send(&self->numbers, i, COROTRACER_HERE);
        task_yield(COROTRACER_HERE);
    }
}

static void consume(void *argument)
{
    pair *self = argument;
    for (uint64_t i = 0; i < self->rounds; ++i)
        self->sum += channel_receive(&self->numbers, COROTRACER_HERE);
}

static void consume_carelessly(void *argument)
{
    pair *self = argument;
    if (self->numbers.count == 0) {
        task_yield(COROTRACER_HERE);
        channel_wait(&self->numbers, COROTRACER_HERE); /* the wait that never ends */
    }
    self->sum += channel_receive(&self->numbers, COROTRACER_HERE);
}

static void start_pair(pair *both, uint64_t number, void (*consumer)(void *), uint64_t rounds)
{
    char name[64];
    both->rounds = rounds;
    snprintf(name, sizeof name, "consumer %llu", (unsigned long long)number);
    task_start(name, consumer, both);
    snprintf(name, sizeof name, "producer %llu", (unsigned long long)number);
    task_start(name, produce, both);
}

/* Writes the counts to the file that CT_EMITTED_FILE names, if it is set. */
static int report(void)
{
    const scheduler_counts *counts = scheduler_get_counts();
    const char *path = getenv("CT_EMITTED_FILE");
    if (path == NULL || *path == '\0')
        return 0;
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        fprintf(stderr, "cannot write CT_EMITTED_FILE %s: %s\n", path, strerror(errno));
        return 1;
    }
    fprintf(file,
            "{\"emitted\":%llu,\"traced_coroutines\":%llu,\"untraced\":%llu,\"unfinished\":%llu,\"wakes\":%llu,"
            "\"signals\":%llu}\n",
            (unsigned long long)counts->events, (unsigned long long)counts->traced,
            (unsigned long long)counts->untraced, (unsigned long long)counts->alive, (unsigned long long)counts->wakes,
            (unsigned long long)counts->signals);
    return fclose(file) == 0 ? 0 : 1;
}

/* Parses the number behind option argv[*at]. Ends the program if there is none. */
static uint64_t number_of(int argc, char **argv, int *at, uint64_t most)
{
    char *end = NULL;
    const char *option = argv[*at];
    const char *text = ++*at < argc ? argv[*at] : "";
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value > most) {
        fprintf(stderr, "%s needs a number up to %llu\n", option, (unsigned long long)most);
        exit(2);
    }
    return value;
}

/* Blocks the signals that end the program, and returns them. */
static sigset_t block_stop_signals(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    return stop;
}

int main(int argc, char **argv)
{
    uint64_t pairs = 10;
    uint64_t rounds = 100;
    uint64_t seconds = 0;
    bool lose = false;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--pairs") == 0) {
            pairs = number_of(argc, argv, &i, 10000);
        } else if (strcmp(argv[i], "--rounds") == 0) {
            rounds = number_of(argc, argv, &i, 1000000);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            seconds = number_of(argc, argv, &i, 3600);
        } else if (strcmp(argv[i], "--lose") == 0) {
            lose = true;
        } else {
            fprintf(stderr, "unknown option %s; options: --pairs N --rounds N --lose --seconds N\n", argv[i]);
            return 2;
        }
    }
    const sigset_t stop = block_stop_signals();
    corotracer_init();
    corotracer_name_thread("scheduler");

    pair *all = calloc(pairs + 1, sizeof *all);
    if (all == NULL)
        return 1;
    for (uint64_t i = 0; i < pairs; ++i)
        start_pair(&all[i], i, consume, rounds);
    if (lose)
        start_pair(&all[pairs], pairs, consume_carelessly, 1);
    scheduler_run();

    uint64_t sum = 0;
    for (uint64_t i = 0; i <= pairs; ++i)
        sum += all[i].sum;
    printf("sum %llu, %llu tasks wait for ever\n", (unsigned long long)sum,
           (unsigned long long)scheduler_get_counts()->alive);
    fflush(stdout);
    const struct timespec longest = {(time_t)seconds, 0};
    sigtimedwait(&stop, NULL, &longest);
    const int status = report();
    scheduler_clear();
    for (uint64_t i = 0; i <= pairs; ++i)
        channel_clear(&all[i].numbers);
    free(all);
    return status;
}
