// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The processes that write into a region: who comes, who goes. Main thread.
#pragma once

#include "core/session/mappings.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <vector>

namespace ct {

/// A process belongs to it from when it connects to the engine's socket, or is found to map the region, until it maps
/// the region no longer. Whoever connects is noticed, however short its life. Others are found by searching all
/// processes: now and then, for a thousandth of the time at most, or a two hundredth while nobody is known.
class TargetList : public QObject {
    Q_OBJECT
public:
    explicit TargetList(FileIdentity region, QObject *parent = nullptr);

    /// Looks now and then from here on. `known` map the region already: nothing is said of their coming.
    void start(const std::vector<pid_t> &known);
    void stop();
    std::vector<pid_t> pids() const;
    /// A process mapped the region at some time, even if it has gone since.
    bool hasSeenAny() const { return m_seenAny; }

public Q_SLOTS:
    /// Or was started to. 0: nobody can say which one.
    void processConnected(int pid);
    void processDisconnected(int pid);

Q_SIGNALS:
    void seen(int pid);
    void gone(int pid);  ///< everybody who was seen, or known from the start
    void nobodyFound();  ///< whenever there is nobody, and a search has found none

private:
    struct Target {
        pid_t pid = 0;
        bool maps = false;  ///< was seen to; another engine may connect as well, to see whether anybody listens
    };
    void look();
    void lookAt(const std::vector<pid_t> &pids);
    void search();
    bool isSearchDue() const;
    bool isEmpty() const;
    Target *find(pid_t pid);

    const FileIdentity m_region;
    std::vector<Target> m_targets;
    std::size_t m_next = 0;  ///< of those that are looked at by turns
    QTimer m_timer;
    bool m_seenAny = false;
    bool m_wantsSearch = true;
    QElapsedTimer m_sinceSearch;
    qint64 m_searchCostNs = 0;
};

}  // namespace ct
