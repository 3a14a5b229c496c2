// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs the real program without a window, in a directory of its own, and collects its output.
#pragma once

#include "tests/support/paths.h"
#include "tests/support/qtsuite.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <sys/types.h>

namespace runner {

using ct::test::kPatienceMs;

inline QString binary(const char *name)
{
    return QString::fromStdString(ct::test::kBinDir) + u'/' + QLatin1String(name);
}

/// Returns the path of a source file; `name` is relative to the root of the sources.
inline QString sourceFile(const char *name)
{
    return QString::fromStdString(ct::test::kSourceDir) + u'/' + QLatin1String(name);
}

inline QByteArray readAll(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QJsonObject objectIn(const QString &path)
{
    return QJsonDocument::fromJson(readAll(path)).object();
}

/// Signals a process that was started and may have ended. Its pid is 0 then, and kill(0) would signal the test's own
/// process group.
inline void signalTo(const QProcess &process, int number)
{
    if (const auto pid = static_cast<pid_t>(process.processId()); pid > 0)
        ::kill(pid, number);
}

/// The pid of the only child that a running process has, such as the target of an engine; else 0.
inline pid_t childOf(const QProcess &process)
{
    return readAll(QStringLiteral("/proc/%1/task/%1/children").arg(process.processId())).trimmed().toInt();
}

/// Splits arguments at spaces, without quoting.
inline QStringList words(const char *line)
{
    return QString::fromLatin1(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

/// One batch run. Its files are in a temporary directory.
class Batch {
public:
    explicit Batch(QStringList options = {}, QStringList source = {})
    {
        m_process.setProgram(binary("corotracer-gui"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CT_EMITTED_FILE"), path("emitted.json"));
        m_process.setProcessEnvironment(environment);
        QStringList arguments{QStringLiteral("--batch")};
        if (!options.contains(QStringLiteral("--summary")))
            arguments << QStringLiteral("--summary") << path("summary.json");
        m_process.setArguments(arguments + options + source);
    }
    /// Ends a run that a failed test has left. SIGTERM also ends its target and removes its region; SIGKILL does
    /// neither.
    ~Batch()
    {
        m_process.terminate();
        if (m_process.state() == QProcess::NotRunning || m_process.waitForFinished(kEndMs))
            return;
        m_process.kill();
        m_process.waitForFinished();
    }

    QString path(const char *name) const { return m_directory.filePath(QLatin1String(name)); }
    QProcess &process() { return m_process; }
    bool start()
    {
        m_process.start();
        return m_process.waitForStarted();
    }
    bool wait() { return m_process.state() == QProcess::NotRunning || m_process.waitForFinished(kPatienceMs); }
    /// Returns the exit status, 128 + signal if the program itself crashed, or -1 if it did not end.
    int run()
    {
        if (!start() || !wait())
            return -1;
        return exitCode();
    }
    int exitCode() const
    {
        return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : 128 + m_process.exitCode();
    }
    void signal(int number) { signalTo(m_process, number); }

    QByteArray out() { return m_out += m_process.readAllStandardOutput(); }
    QByteArray err() { return m_err += m_process.readAllStandardError(); }
    /// Waits until stdout contains the target's text.
    bool waitForOutput(const QByteArray &text)
    {
        return QTest::qWaitFor([&] { return out().contains(text); }, kPatienceMs);
    }
    /// Waits until stderr contains the text.
    bool waitForError(const QByteArray &text)
    {
        return QTest::qWaitFor([&] { return err().contains(text); }, kPatienceMs);
    }
    /// Requests verdicts on the run so far until one has a warning or an error.
    bool waitForFinding() { return waitForVerdict("^(warning|error): "); }
    /// Requests verdicts on the run so far until a lost wake-up is an error. A warning may go away again: on a busy
    /// machine, a coroutine can be resumed so late that there is one until then.
    bool waitForLostWakeUp() { return waitForVerdict(kLostWakeUp); }
    static constexpr char kLostWakeUp[] = "^error: lost-wakeup: ";
    /// Requests verdicts on the run so far until one has a line that matches.
    bool waitForVerdict(const char *pattern)
    {
        const QRegularExpression line(QLatin1String(pattern), QRegularExpression::MultilineOption);
        const auto isFound = [&] { return line.match(QString::fromUtf8(err())).hasMatch(); };
        const QDeadlineTimer patience(kPatienceMs);
        while (!patience.hasExpired() && m_process.state() != QProcess::NotRunning) {
            if (catches(SIGUSR2))
                signal(SIGUSR2);
            if (QTest::qWaitFor(isFound, 200))
                return true;
        }
        return false;
    }
    /// True if the program handles the signal, which would kill it before.
    bool catches(int number) const
    {
        const QByteArray status = readAll(QStringLiteral("/proc/%1/status").arg(m_process.processId()));
        const qsizetype at = status.indexOf("SigCgt:\t");
        return at >= 0 && (status.mid(at + 8, 16).toULongLong(nullptr, 16) >> (number - 1) & 1) != 0;
    }
    QJsonObject summary() const { return objectIn(path("summary.json")); }
    /// The target's own report of its events.
    QJsonObject truth() const { return objectIn(path("emitted.json")); }

private:
    static constexpr int kEndMs = 5000;

    QTemporaryDir m_directory;
    QProcess m_process;
    QByteArray m_out;
    QByteArray m_err;
};

/// The arguments that start a program to be traced. CT_TARGETS_DIR names the directory of another build, such as
/// clang's.
inline QStringList target(const char *name, const QStringList &arguments = {})
{
    const QString directory = qEnvironmentVariable("CT_TARGETS_DIR", QString::fromStdString(ct::test::kBinDir));
    return QStringList{QStringLiteral("--"), directory + u'/' + QLatin1String(name)} + arguments;
}

inline QStringList shell(const char *line)
{
    return {QStringLiteral("--cmd"), QLatin1String(line)};
}

inline qint64 integer(const QJsonObject &object, const char *name)
{
    return object.value(QLatin1String(name)).toInteger(-1);
}

/// Checks captured + lost + missed = emitted, over the coroutines that have a station.
inline void compareAccounts(const QJsonObject &summary, const QJsonObject &truth)
{
    QVERIFY(!summary.isEmpty());
    QVERIFY(!truth.isEmpty());
    QCOMPARE(integer(summary, "events") + integer(summary, "lost_events") + integer(summary, "missed_before_attach"),
             integer(truth, "emitted"));
}

/// Starts the run through a command that ends with exec "$@", such as `sh -c SCRIPT sh`.
inline void wrap(Batch &batch, const QStringList &shellCommand)
{
    const QStringList command = QStringList{batch.process().program()} + batch.process().arguments();
    batch.process().setProgram(shellCommand.first());
    batch.process().setArguments(shellCommand.mid(1) + command);
}

}  // namespace runner
