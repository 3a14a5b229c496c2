// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/createthread.h"

#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <pthread.h>

namespace {

// Relaxed: tests change these only before and after they start threads, never concurrently.
std::atomic<int> started{0};
std::atomic<int> refusals{0};
std::atomic<bool> isRefusing{false};

}  // namespace

namespace ct::test {

int startedThreads()
{
    return started.load(std::memory_order_relaxed);
}

NoMoreThreads::NoMoreThreads()
{
    refusals.store(0, std::memory_order_relaxed);
    isRefusing.store(true, std::memory_order_relaxed);
}

NoMoreThreads::~NoMoreThreads()
{
    isRefusing.store(false, std::memory_order_relaxed);
}

int NoMoreThreads::refused() const
{
    return refusals.load(std::memory_order_relaxed);
}

}  // namespace ct::test

#if !CT_ADDRESS_SANITIZER && !CT_THREAD_SANITIZER
/// Interposes the C library's pthread_create.
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                              void *argument) noexcept
{
    static const auto real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (isRefusing.load(std::memory_order_relaxed)) {
        refusals.fetch_add(1, std::memory_order_relaxed);
        return EAGAIN;
    }
    started.fetch_add(1, std::memory_order_relaxed);
    return real(thread, attributes, run, argument);
}
#endif
