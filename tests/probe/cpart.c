/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled twice: as it is, and with COROTRACER_NO_INLINE. */
#include "tests/probe/cpart.h"

#include <stddef.h>

static void live(corotracer_coroutine *self, const char *name, c_lines *lines)
{
    corotracer_birth(self, name);
    corotracer_resume(self);
    lines->suspended = __LINE__ + 1;
    corotracer_suspend(self, COROTRACER_AWAIT, COROTRACER_HERE);
    corotracer_resume(self);
    corotracer_suspend(self, COROTRACER_FINAL, COROTRACER_HERE);
    corotracer_death(self);
}

static void report_causes(corotracer_coroutine *self, corotracer_coroutine *other, const void *object, c_lines *lines)
{
    const corotracer_wait objects[] = {{COROTRACER_WAIT_CHANNEL, 0, (uint64_t)(uintptr_t)object},
                                       {COROTRACER_WAIT_DESCRIPTOR, 0, 5},
                                       {COROTRACER_WAIT_COROUTINE, 0, corotracer_identity(other)}};
    corotracer_waits_on(self, COROTRACER_WAIT_LOCK, (uint64_t)(uintptr_t)object, 0);
    corotracer_waits_on(self, COROTRACER_WAIT_DESCRIPTOR, 7, 1234);
    corotracer_awaits(self, other);
    corotracer_waits_for_any(self, objects, 2);
    corotracer_waits_for_all(self, objects, 3);
    corotracer_wake(other, self);
    corotracer_wake(other, NULL);
    corotracer_wakers_left(other, 3);
    lines->acquired = __LINE__ + 1;
    corotracer_acquired(object, COROTRACER_HERE);
    corotracer_released(object, COROTRACER_HERE);
    corotracer_signalled(object, NULL);
    corotracer_set_parent(other, self);
    lines->finished = __LINE__ + 1;
    corotracer_finished(self, COROTRACER_HERE);
}

static void suspend_anywhere(corotracer_coroutine *self)
{
    corotracer_suspend(self, COROTRACER_YIELD, NULL);
}

static void call_all(corotracer_coroutine *self)
{
    const corotracer_wait object = {COROTRACER_WAIT_TIMER, 0, 1};
    corotracer_resume(self);
    corotracer_suspend(self, COROTRACER_AWAIT, COROTRACER_HERE);
    corotracer_waits_on(self, COROTRACER_WAIT_OTHER, 1, 2);
    corotracer_awaits(self, self);
    corotracer_waits_for_any(self, &object, 1);
    corotracer_waits_for_all(self, &object, 1);
    corotracer_wake(self, self);
    corotracer_wakers_left(self, 0);
    corotracer_set_name(self, "a name");
    corotracer_set_parent(self, self);
    corotracer_finished(self, COROTRACER_HERE);
    corotracer_death(self);
}

static bool is_on(void)
{
    return corotracer_enabled();
}

#ifdef COROTRACER_NO_INLINE
const c_part c_part_library = {live, report_causes, suspend_anywhere, call_all, is_on};
#else
const c_part c_part_inline = {live, report_causes, suspend_anywhere, call_all, is_on};
#endif
