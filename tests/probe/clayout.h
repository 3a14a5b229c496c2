/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the layout that the C compiler sees to a test in C++. */
#ifndef CT_PROBE_CLAYOUT_H
#define CT_PROBE_CLAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a row describes, its value in C, and its value in the table. */
typedef void layout_report(const char *what, uint64_t actual, uint64_t expected);

/* Reports each number of each row about the C interface. */
void check_c_layout(layout_report *report);

#ifdef __cplusplus
}
#endif

#endif
