// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "module.h"

#include "coroTracer.h"

void module_init()
{
    corotracer::InitTracer();
}

uint64_t module_events(uint64_t count)
{
    corotracer::PromiseMixin promise;
    promise.set_name("of C++");
    for (std::uint64_t i = 0; i < count; ++i)
        promise.write_trace(i % 2 == 0 ? 0x1000 : 0, i % 2 == 1);
    return promise.is_traced() ? count : 0;
}

const void *module_state()
{
    return &corotracer::detail::page_v2;
}
