// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tracks the processes that write into a region, and reports arrivals and departures. Main thread.
#pragma once

#include "core/target/mappingprocesses.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <vector>

namespace ct {

/// A process becomes a target when it connects to the engine's socket, or when a search finds its mapping of the
/// region. It is removed when it maps the region no longer. A process that connects is always noticed, however short
/// its life. Other processes are found by searches through all processes. Searches use at most 1/10,000 of the time, or
/// 1/200 while no target is known.
class TargetWatch : public QObject {
    Q_OBJECT
public:
    explicit TargetWatch(FileIdentity region, QObject *parent = nullptr);

    /// Starts regular checks. The `known` processes map the region already; seen() is not emitted for them.
    void start(const std::vector<pid_t> &known);
    void stop();
    std::vector<pid_t> pids() const;
    /// True once a process has mapped the region, even if it has gone since.
    bool hasSeenAny() const { return m_seenAny; }

public Q_SLOTS:
    /// A process has connected, or was launched. 0: its pid is unknown.
    void processConnected(int pid);
    void processDisconnected(int pid);

Q_SIGNALS:
    void seen(int pid);
    void gone(int pid);  ///< for each target that was seen, or known from the start
    void noneFound();    ///< whenever a search ends, and no process maps the region

private:
    struct Target {
        pid_t pid = 0;
        /// Mapped the region at the last check. Other engines connect, too, to see whether an engine listens.
        bool maps = false;
        std::uint64_t pages = 0;  ///< mappedPages() before that check; 0 = none yet
    };
    void checkAll();
    void checkMappings(const std::vector<pid_t> &pids);
    static bool hasChanged(const Target &target);
    void search();
    bool isSearchDue() const;
    bool isEmpty() const;
    Target *findTarget(pid_t pid);

    const FileIdentity m_region;
    std::vector<Target> m_targets;
    std::size_t m_next = 0;  ///< start of the targets whose mappings the next check reads
    QTimer m_timer;
    bool m_seenAny = false;
    bool m_wantsSearch = true;
    QElapsedTimer m_sinceSearch;
    qint64 m_searchCostNs = 0;
};

}  // namespace ct
