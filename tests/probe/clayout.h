/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The structs of corotracer.h as the compiler that compiles this file sees them. */
#ifndef CT_PROBE_CLAYOUT_H
#define CT_PROBE_CLAYOUT_H

#include "corotracer.h"

#include <stddef.h>

typedef struct layout_field {
    const char *record;
    const char *field; /* "." is the struct itself */
    size_t offset;
    size_t size;
} layout_field;

#define CT_RECORD(record)                                                                                              \
    {                                                                                                                  \
#record, ".", 0, sizeof(record)                                                                                \
    }
#define CT_FIELD(record, field)                                                                                        \
    {                                                                                                                  \
#record, #field, offsetof(record, field), sizeof(((record *)0)->field)                                         \
    }

static const layout_field layout_fields[] = {
    CT_RECORD(corotracer_coroutine),
    CT_FIELD(corotracer_coroutine, state),
    CT_FIELD(corotracer_coroutine, traced),
    CT_FIELD(corotracer_coroutine, site),
    CT_FIELD(corotracer_coroutine, point),
    CT_FIELD(corotracer_coroutine, reserved),
    CT_RECORD(corotracer_location),
    CT_FIELD(corotracer_location, file),
    CT_FIELD(corotracer_location, function),
    CT_FIELD(corotracer_location, line),
    CT_FIELD(corotracer_location, column),
    CT_RECORD(corotracer_wait),
    CT_FIELD(corotracer_wait, kind),
    CT_FIELD(corotracer_wait, reserved),
    CT_FIELD(corotracer_wait, object),
    CT_RECORD(corotracer_flight_options),
    CT_FIELD(corotracer_flight_options, path),
    CT_FIELD(corotracer_flight_options, lane_bytes),
    CT_FIELD(corotracer_flight_options, pool_bytes),
    CT_FIELD(corotracer_flight_options, retention_ms),
    CT_FIELD(corotracer_flight_options, coroutines),
    CT_FIELD(corotracer_flight_options, keep_old),
    CT_FIELD(corotracer_flight_options, reserved0),
    CT_FIELD(corotracer_flight_options, reserved),
};

enum { kLayoutFields = sizeof layout_fields / sizeof layout_fields[0] };

#ifdef __cplusplus
extern "C" {
#endif
/* The table of the C compiler, in clayout.c. */
extern const layout_field *const c_layout_fields;
#ifdef __cplusplus
}
#endif

#endif
