// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A shared object with its own probe state. tst_probe_counter controls its counter.
#include <atomic>
#include <cstdint>

namespace {

std::uint64_t misbehaving() noexcept;

}  // namespace

#define COROTRACER_TEST_COUNTER misbehaving
#include "coroTracer.h"

namespace {

std::atomic<std::uint64_t> everywhere{0};   ///< ns that the counter is ahead on all cores
thread_local std::uint64_t onThisCore = 0;  ///< ns that it is ahead in addition, for this thread
std::atomic<std::uint64_t> frozen{0};       ///< if not 0, the counter's constant value

/// A controllable counter with one tick per nanosecond.
std::uint64_t misbehaving() noexcept
{
    if (const std::uint64_t still = frozen.load(std::memory_order_relaxed); still != 0)
        return still;
    return corotracer::detail::monotonic_ns() + everywhere.load(std::memory_order_relaxed) + onThisCore;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void module_init()
{
    corotracer::InitTracer();
}

EXPORTED void module_jump(std::int64_t ns)
{
    everywhere.fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
}

EXPORTED void module_jump_on_this_core(std::int64_t ns)
{
    onThisCore += static_cast<std::uint64_t>(ns);
}

EXPORTED void module_freeze()
{
    frozen.store(misbehaving(), std::memory_order_relaxed);
}

EXPORTED void *module_make()
{
    return new corotracer::PromiseMixin;
}

EXPORTED void module_events(void *promise, int count)
{
    for (int i = 0; i < count; ++i)
        static_cast<corotracer::PromiseMixin *>(promise)->write_trace(1, i % 2 == 1);
}

EXPORTED void module_end(void *promise)
{
    delete static_cast<corotracer::PromiseMixin *>(promise);
}
