// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lists and removes recordings in their directory, on a thread of its own: disks are slow, and files may be very many.
#pragma once

#include "core/recording/library/recordedruns.h"

#include <QObject>
#include <QStringList>
#include <QThread>

#include <memory>
#include <vector>

namespace ct {

/// GUI (or main) thread. Signals come from the event loop, never from within a call. If the system refuses the thread,
/// each call fails with its signal. The next call tries to start the thread again.
class RecordedRunsThread : public QObject {
    Q_OBJECT
public:
    explicit RecordedRunsThread(QString directory, QObject *parent = nullptr);
    ~RecordedRunsThread() override;  ///< waits for the work in progress

    const QString &directory() const { return m_directory; }

    /// listed() or failedToList() follows. All calls during a refresh cause one more refresh.
    void refresh();
    /// See RecordedRuns::freeSpace(). spaceFreed() and listed() follow. `most`: bytes.
    void freeSpace(std::uint64_t most);
    /// Removes runs by their paths. removed() and listed() follow.
    void remove(const std::vector<std::string> &paths);

Q_SIGNALS:
    void listed(const std::vector<ct::RecordedRun> &runs);
    void failedToList(const QString &message);
    void spaceFreed(const ct::FreedSpace &made);
    void removed(const QStringList &failures);

private:
    template <class Work, class Then, class Otherwise>
    void run(Work work, Then then, Otherwise otherwise);

    const QString m_directory;
    QThread m_thread;
    std::unique_ptr<QObject> m_worker;     ///< lives on the thread
    std::shared_ptr<RecordedRuns> m_runs;  ///< used by the thread only
    int m_refreshes = 0;                   ///< 1: in progress; 2: and one more wanted
};

}  // namespace ct
