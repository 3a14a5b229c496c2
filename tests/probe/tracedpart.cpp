// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of tst_probe_off that is compiled with the probe.
#undef COROTRACER_OFF
#include "coroTracer.h"

/// Traces one coroutine of this part. Returns whether it had a station.
bool runTracedPart()
{
    corotracer::InitTracer();
    corotracer::PromiseMixin promise;
    promise.write_trace(1, false);
    return promise.is_traced();
}
