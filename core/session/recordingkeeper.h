// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Looks after the directory of recordings from a thread of its own: disks are slow, and there may be very many files.
#pragma once

#include "core/recording/recordedruns.h"

#include <QObject>
#include <QStringList>
#include <QThread>

#include <memory>
#include <vector>

namespace ct {

/// GUI (or main) thread. Signals come from the event loop, never from within a call. While the system refuses the
/// thread, each call fails with the signal that follows it, and tries again to start the thread.
class RecordingKeeper : public QObject {
    Q_OBJECT
public:
    explicit RecordingKeeper(QString directory, QObject *parent = nullptr);
    ~RecordingKeeper() override;  ///< waits for what is under way

    const QString &directory() const { return m_directory; }

    /// listed() follows. While one is under way, asking more often makes it one more.
    void refresh();
    /// See RecordedRuns::makeRoom(); roomMade() and listed() follow.
    void makeRoom(std::uint64_t most);
    /// Paths of runs; removed() and listed() follow.
    void remove(const std::vector<std::string> &paths);

Q_SIGNALS:
    void listed(const std::vector<ct::RecordedRun> &runs);
    void failedToList(const QString &message);
    void roomMade(const ct::RoomMade &made);
    void removed(const QStringList &failures);

private:
    template <class Work, class Then, class Otherwise>
    void run(Work work, Then then, Otherwise otherwise);

    const QString m_directory;
    QThread m_thread;
    std::unique_ptr<QObject> m_worker;     ///< lives on the thread
    std::shared_ptr<RecordedRuns> m_runs;  ///< the thread's alone
    int m_refreshes = 0;                   ///< 1: under way; 2: and one more wanted
};

}  // namespace ct
