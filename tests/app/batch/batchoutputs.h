// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batch runs whose target waits until the test releases it, and the content of their output files.
#pragma once

#include "core/recording/read/recordingreader.h"
#include "tests/core/exporting/database.h"
#include "tests/support/runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace batchoutputs {

/// Returns the number of transitions in a file, or -1 if the file is not valid. Does not use the writers' code.
inline qint64 rowsIn(const QString &path)
{
    if (path.endsWith(QLatin1String(".sqlite")))
        return exporttest::Database(path).rows("SELECT count(*) FROM coro_trace_events").value(0).toLongLong();
    if (!path.endsWith(QLatin1String(".ctr"))) {
        const QByteArray all = runner::readAll(path);
        const bool isWhole = all.isEmpty() || all.endsWith('\n');
        const qint64 header = path.endsWith(QLatin1String(".csv")) && !all.isEmpty() ? 1 : 0;
        return isWhole ? all.count('\n') - header - all.count("{\"note\":") : -1;
    }
    auto reader = ct::RecordingReader::open(path.toStdString());
    if (!reader)
        return QFileInfo(path).size() == 0 ? 0 : -1;
    qint64 rows = 0;
    ct::Batch batch;
    for (bool more = true; more;) {
        batch.clear();
        const ct::Result<bool> next = (*reader)->next(batch);
        if (!next)
            return -1;
        more = *next;
        rows += static_cast<qint64>(batch.transitions.size());
    }
    return rows;
}

/// A target that waits for proceed(). By then the engine has created and opened all its files.
class WaitingTarget {
public:
    explicit WaitingTarget(const runner::Batch &batch) : m_gate(batch.path("gate"))
    {
        ::mkfifo(qPrintable(m_gate), 0600);
    }
    QStringList arguments(const char *seconds) const
    {
        const QString line = QStringLiteral("read -r go < %1; exec %2 --seconds %3 --rate 200000 --coroutines 10");
        return {QStringLiteral("--cmd"), line.arg(m_gate, runner::binary("ct_storm"), QString::fromLatin1(seconds))};
    }
    /// A target that publishes 400,000 events, and ends then, on a slow machine too.
    QStringList manyEvents() const
    {
        const QString line =
            QStringLiteral("read -r go < %1; exec %2 --transitions 400000 --rate 200000 --coroutines 10");
        return {QStringLiteral("--cmd"), line.arg(m_gate, runner::binary("ct_storm"))};
    }
    /// A target that publishes 1,000 events and ends.
    QStringList fewEvents() const
    {
        const QString line = QStringLiteral("read -r go < %1; exec %2 --transitions 1000 --coroutines 10");
        return {QStringLiteral("--cmd"), line.arg(m_gate, runner::binary("ct_storm"))};
    }
    /// A target that publishes all its events first, and then waits.
    QStringList fewEventsFirst() const
    {
        const QString line = QStringLiteral("%2 --transitions 1000 --coroutines 10; read -r go < %1");
        return {QStringLiteral("--cmd"), line.arg(m_gate, runner::binary("ct_storm"))};
    }
    /// A target that is not traced: it waits and ends.
    QStringList untraced() const { return {QStringLiteral("--cmd"), QStringLiteral("read -r go < %1").arg(m_gate)}; }
    /// Waits until the target opens the gate for reading. Returns false after kPatienceMs.
    bool isWaiting()
    {
        return QTest::qWaitFor(
            [this] { return (m_fd = ::open(qPrintable(m_gate), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0; },
            runner::kPatienceMs);
    }
    void proceed() { QVERIFY(::write(m_fd, "go\n", 3) == 3 && ::close(m_fd) == 0); }

private:
    const QString m_gate;
    int m_fd = -1;
};

inline void write(const QString &path, const QByteArray &content)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

inline void setArguments(runner::Batch &batch, const QStringList &arguments)
{
    batch.process().setArguments(QStringList{QStringLiteral("--batch")} + arguments);
}

}  // namespace batchoutputs
