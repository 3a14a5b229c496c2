/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of a module that ct_images loads: a shared object with its own copy of the probe. */
#ifndef CT_IMAGES_MODULE_H
#define CT_IMAGES_MODULE_H

#include <stdint.h>

#define CT_EXPORTED __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Switches tracing on in the probe of this module. Any thread, repeatedly. */
CT_EXPORTED void module_init(void);

/* Publishes `count` events of a new coroutine. Returns how many were published: 0 if the coroutine is untraced. */
CT_EXPORTED uint64_t module_events(uint64_t count);

/* Returns the address of the probe's state. Modules with the same address share a probe. */
CT_EXPORTED const void *module_state(void);

#ifdef __cplusplus
}
#endif

#endif
