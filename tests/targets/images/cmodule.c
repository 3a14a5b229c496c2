/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "module.h"

#include "corotracer.h"

void module_init(void)
{
    corotracer_init();
}

uint64_t module_events(uint64_t count)
{
    corotracer_coroutine self;
    corotracer_birth(&self, "of C");
    const bool traced = corotracer_is_traced(&self);
    for (uint64_t i = 0; i < count; ++i) {
        if (i % 2 == 0)
            corotracer_suspend(&self, COROTRACER_AWAIT, COROTRACER_HERE);
        else
            corotracer_resume(&self);
    }
    corotracer_death(&self);
    return traced ? count : 0;
}

const void *module_state(void)
{
    return &corotracer_session;
}
