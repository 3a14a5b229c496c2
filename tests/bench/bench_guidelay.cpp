// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Measures how long the GUI thread delays an input event while a target writes at full speed. A second thread posts a
// heartbeat every 5 ms, and the GUI thread measures how late it handles each one.
//
//   bench_guidelay [seconds [program arguments...]]   default: 10 ct_storm with 100,000 coroutines
#include "core/session/run.h"
#include "ui/mainwindow.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

using Clock = std::chrono::steady_clock;

namespace {

std::vector<double> measureGaps(QCoreApplication &app, int seconds)
{
    std::vector<double> gapsMs;
    std::atomic<bool> running{true};
    std::thread heart([&] {
        while (running.load(std::memory_order_relaxed)) {
            const auto sent = Clock::now();
            QMetaObject::invokeMethod(
                &app,
                [&gapsMs, sent] {
                    gapsMs.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
                },
                Qt::QueuedConnection);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
    QTimer::singleShot(seconds * 1000, &app, [] { QCoreApplication::exit(0); });  // quit() would ask the window first
    app.exec();
    running.store(false, std::memory_order_relaxed);
    heart.join();
    return gapsMs;
}

}  // namespace

int main(int argc, char **argv)
{
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    // The directory is removed at the end, with all recordings.
    qputenv("XDG_CACHE_HOME", QFile::encodeName(settings.path()));
    QApplication app(argc, argv);
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 10;

    ct::LaunchSpec target;
    target.output = ct::OutputMode::Pty;
    target.argv.assign(argv + std::min(argc, 2), argv + argc);
    if (target.argv.empty())
        target.argv = {std::filesystem::path(argv[0]).replace_filename("ct_storm"),
                       "--coroutines",
                       "100000",
                       "--threads",
                       "2",
                       "--transitions",
                       "100000000000"};
    ct::MainWindow window;
    window.resize(1600, 1000);
    window.show();
    window.start({target, {}});

    std::vector<double> gapsMs = measureGaps(app, seconds);
    // The target may ignore its closed terminal.
    if (const pid_t group = window.run().launchedPid(); group > 0)
        ::kill(-group, SIGKILL);
    std::sort(gapsMs.begin(), gapsMs.end());
    if (gapsMs.empty()) {
        std::fprintf(stderr, "no heartbeat was handled in %d s\n", seconds);
        return 1;
    }
    const auto at = [&](double fraction) {
        return gapsMs[static_cast<std::size_t>(fraction * static_cast<double>(gapsMs.size() - 1))];
    };
    std::printf("heartbeats %zu  median %.2f ms  p99 %.2f ms  longest %.2f ms\n", gapsMs.size(), at(0.5), at(0.99),
                gapsMs.back());
    std::fflush(stdout);
    static_cast<void>(QDir(settings.path()).removeRecursively());
    std::_Exit(0);  // an orderly end is not measured here
}
