/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of tst_probe_c that is written in C: cpart.c. It is compiled with and without the inline part of the header.
 */
#ifndef CT_PROBE_CPART_H
#define CT_PROBE_CPART_H

#include "corotracer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lines of the calls in cpart.c. */
typedef struct c_lines {
    uint32_t suspended;
    uint32_t acquired;
    uint32_t finished;
} c_lines;

typedef struct c_part {
    /* Birth, R, S at lines->suspended, R, final S, death. */
    void (*live)(corotracer_coroutine *self, const char *name, c_lines *lines);
    /* Reports one cause of each kind. `self` is traced and runs; `other` is traced. */
    void (*report_causes)(corotracer_coroutine *self, corotracer_coroutine *other, const void *object, c_lines *lines);
    /* A suspension without a location. */
    void (*suspend_anywhere)(corotracer_coroutine *self);
    /* Calls every function about a coroutine. */
    void (*call_all)(corotracer_coroutine *self);
    bool (*is_on)(void);
} c_part;

extern const c_part c_part_inline;
extern const c_part c_part_library;

#ifdef __cplusplus
}
#endif

#endif
