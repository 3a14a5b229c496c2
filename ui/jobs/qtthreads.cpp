// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/qtthreads.h"

#include "core/base/startthread.h"

#include <QThreadPool>

#include <array>
#include <future>

namespace ct {

namespace {

/// Threads for events of the display, D-Bus and painting, and one of this program.
constexpr std::size_t kAtLeast = 4;
constexpr int kNever = -1;

}  // namespace

Result<void> checkWindowThreads()
{
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future().share();
    std::array<std::thread, kAtLeast> threads;
    bool areStarted = true;
    for (std::thread &thread : threads)
        areStarted = areStarted && startThread(thread, [ended] { ended.wait(); });
    end.set_value();
    for (std::thread &thread : threads) {
        if (thread.joinable())
            thread.join();
    }
    return areStarted ? Result<void>() : noThread("for a window");
}

void keepPaintingThread()
{
    QThreadPool *pool = QThreadPool::globalInstance();
    pool->setMaxThreadCount(1);
    pool->setExpiryTimeout(kNever);
    pool->start([] {});
}

}  // namespace ct
