// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/recordedrunsthread.h"

#include "core/base/startthread.h"

#include <QFile>

#include <algorithm>
#include <utility>

namespace ct {

RecordedRunsThread::RecordedRunsThread(QString directory, QObject *parent)
    : QObject(parent),
      m_directory(std::move(directory)),
      m_worker(std::make_unique<QObject>()),
      m_runs(std::make_shared<RecordedRuns>())
{
    m_thread.setObjectName(QStringLiteral("recordings"));
    m_worker->moveToThread(&m_thread);
}

RecordedRunsThread::~RecordedRunsThread()
{
    m_thread.quit();
    m_thread.wait();
}

/// Calls `work` on the thread, then `then` with its result on this thread, unless this object is destroyed before.
/// Without a thread, calls `otherwise` with the reason.
template <class Work, class Then, class Otherwise>
void RecordedRunsThread::run(Work work, Then then, Otherwise otherwise)
{
    const Result<void> started =
        m_thread.isRunning() ? Result<void>() : startQThread(m_thread, "to check the recordings");
    if (!started) {
        QMetaObject::invokeMethod(
            this,
            [message = QString::fromStdString(started.error().message), otherwise = std::move(otherwise)] {
                otherwise(message);
            },
            Qt::QueuedConnection);
        return;
    }
    QMetaObject::invokeMethod(m_worker.get(), [this, work = std::move(work), then = std::move(then)]() mutable {
        // `this` exists here, because the destructor waits for this task. A call posted to it is discarded with it.
        QMetaObject::invokeMethod(
            this, [result = work(), then = std::move(then)]() mutable { then(std::move(result)); },
            Qt::QueuedConnection);
    });
}

void RecordedRunsThread::refresh()
{
    m_refreshes = std::min(m_refreshes + 1, 2);
    if (m_refreshes > 1)
        return;
    const std::string directory = QFile::encodeName(m_directory).toStdString();
    run([runs = m_runs, directory] { return runs->list(directory); },
        [this](const Result<std::vector<RecordedRun>> &runs) {
            const bool again = std::exchange(m_refreshes, 0) > 1;
            if (runs)
                Q_EMIT listed(*runs);
            else
                Q_EMIT failedToList(QString::fromStdString(runs.error().message));
            if (again)
                refresh();
        },
        [this](const QString &why) {
            m_refreshes = 0;
            Q_EMIT failedToList(why);
        });
}

void RecordedRunsThread::freeSpace(std::uint64_t most)
{
    const std::string directory = QFile::encodeName(m_directory).toStdString();
    run([runs = m_runs, directory, most] { return runs->freeSpace(directory, most); },
        [this](const FreedSpace &made) {
            Q_EMIT spaceFreed(made);
            refresh();
        },
        [this](const QString &why) {
            FreedSpace made;
            made.failures = {why.toStdString()};
            Q_EMIT spaceFreed(made);
        });
}

void RecordedRunsThread::remove(const std::vector<std::string> &paths)
{
    run(
        [paths] {
            QStringList failures;
            for (const std::string &path : paths) {
                if (const Result<void> done = removeRun(path); !done)
                    failures << QString::fromStdString(done.error().message);
            }
            return failures;
        },
        [this](const QStringList &failures) {
            Q_EMIT removed(failures);
            refresh();
        },
        [this](const QString &why) { Q_EMIT removed({why}); });
}

}  // namespace ct
