// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stuck coroutines of one run, as the batch, its summary, and a window with the recording report them: the numbers are
// equal, and each names the instant at which it was judged.
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/stuckdock.h"
#include "ui/mainwindow.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QRegularExpression>
#include <QTreeView>

using namespace ct;

namespace {

constexpr int kPatienceMs = 120'000;

/// A batch run with a recording and a summary.
struct JudgedRun {
    QString recording;
    QString said;
    QJsonObject summary;

    qint64 number(const char *name) const { return summary.value(QLatin1String(name)).toInteger(-1); }
    qint64 listed() const { return summary.value(QLatin1String("stuck")).toArray().size(); }
};

/// Runs a batch. If `signalAfter` is not empty, SIGTERM ends it 1.5 s after the target printed this text: by then,
/// waiting coroutines are stuck. Returns nullopt if the batch fails.
std::optional<JudgedRun> capture(const QString &directory, const QString &name, const QStringList &arguments,
                                 const QByteArray &signalAfter = {})
{
    JudgedRun run;
    run.recording = directory + u'/' + name;
    const QString summary = directory + QStringLiteral("/summary.json");
    QProcess process;
    process.start(gui::targetPath("corotracer-gui"), QStringList{QStringLiteral("--batch"), QStringLiteral("-o"),
                                                                 run.recording, QStringLiteral("--summary"), summary} +
                                                         arguments);
    if (!signalAfter.isEmpty()) {
        QByteArray printed;
        while (!printed.contains(signalAfter) && process.waitForReadyRead(kPatienceMs))
            printed += process.readAllStandardOutput();
        QTest::qWait(1500);
        process.terminate();
    }
    if (!process.waitForFinished(kPatienceMs) || process.exitCode() != 0)
        return std::nullopt;
    run.said = QString::fromUtf8(process.readAllStandardError());
    QFile file(summary);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    run.summary = QJsonDocument::fromJson(file.readAll()).object();
    return run;
}

QString headerOf(const MainWindow &window)
{
    const bool any = window.findChild<StuckDock *>()->stuckCount() > 0;
    return window.findChild<QLabel *>(any ? QStringLiteral("stuckSummary") : QStringLiteral("stuckEmpty"))->text();
}

qint64 rowsOf(const MainWindow &window)
{
    const QAbstractItemModel *model = window.findChild<QTreeView *>(QStringLiteral("stuckTree"))->model();
    qint64 rows = 0;
    for (int group = 0; group < model->rowCount(); ++group)
        rows += model->rowCount(model->index(group, 0));
    return rows;
}

QString between(const QString &text, const char *pattern)
{
    return QRegularExpression(QLatin1String(pattern)).match(text).captured(1);
}

}  // namespace

class TestStuckInstants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    /// The target resumes all its coroutines before it ends: the numbers of the two instants differ.
    void aRunEndedByTheEngineHasTwoInstants()
    {
        const auto run = capture(
            m_sandbox.path(QStringLiteral(".")), QStringLiteral("ended.CTR"),
            {QStringLiteral("--"), gui::targetPath("ct_many"), QStringLiteral("--coroutines"), QStringLiteral("15")},
            "suspended");
        QVERIFY(run);
        QCOMPARE(run->number("stuck_when_end_decided"), 15);
        QCOMPARE(run->number("stuck_at_end"), 0);
        checkTwo(*run);
    }

    /// The server ends slowly and loses more wake-ups until then.
    void aServerEndedByTheEngineHasTwoInstants()
    {
        const auto run =
            capture(m_sandbox.path(QStringLiteral(".")), QStringLiteral("server.ctr"),
                    {QStringLiteral("--duration"), QStringLiteral("4"), QStringLiteral("--"),
                     gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds"), QStringLiteral("600")});
        QVERIFY(run);
        checkTwo(*run);
    }

    void aRunThatEndsItselfHasOneInstant()
    {
        const auto run = capture(m_sandbox.path(QStringLiteral(".")), QStringLiteral("itself.ctr"),
                                 {QStringLiteral("--"), gui::targetPath("ct_server_lossy"), QStringLiteral("--seconds"),
                                  QStringLiteral("3")});
        QVERIFY(run);
        const qint64 end = run->number("stuck_at_end");
        QCOMPARE(run->summary.value(QLatin1String("stuck_judged")).toString(), QStringLiteral("end"));
        QVERIFY(run->summary.value(QLatin1String("stuck_when_end_decided")).isNull());
        QCOMPARE(run->listed(), end);
        if (end > 0)
            QCOMPARE(between(run->said, "stuck at the end of the run: (\\d+) coroutine"), QString::number(end));
        compare(*run, QStringLiteral("at the end of the recording"), end, {});
    }

    /// The user ends the target in the window: the window and the recording report equal numbers.
    void windowAndRecordingReportEqualInstants()
    {
        JudgedRun run;
        qint64 end = 0;
        QString before;
        {
            MainWindow window;
            window.show();
            QVERIFY(headerOf(window).contains(QLatin1String("at present")));
            LaunchSpec target;
            target.argv = {gui::targetPath("ct_many").toStdString(), "--coroutines", "15"};
            StartRequest request;
            request.what = target;
            window.start(request);
            QTRY_COMPARE_WITH_TIMEOUT(window.findChild<StuckDock *>()->stuckCount(), 15, kPatienceMs);
            QVERIFY(headerOf(window).contains(QLatin1String("at present")));
            window.run().terminateTarget();
            QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
            QTRY_VERIFY(headerOf(window).contains(QLatin1String("at the end of the run")));
            before = between(headerOf(window), "; (\\d+) when its end was decided");
            QCOMPARE(before, QStringLiteral("15"));
            run.recording = QString::fromStdString(window.run().replayPath());
            awaitStuckRows(window);
            end = rowsOf(window);
        }
        compare(run, QStringLiteral("at the end of the recording"), end, before.toLongLong());
    }

private:
    /// Waits until the window shows the coroutines that are stuck at the present time of its trace.
    static void awaitStuckRows(MainWindow &window)
    {
        const auto expected = [&] {
            qint64 count = 0;
            for (const StuckGroup &group : findStuck(*window.run().population(), window.run().population()->now()))
                count += static_cast<qint64>(group.coroutines.size());
            return count;
        };
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), expected(), kPatienceMs);
    }

    static void checkTwo(const JudgedRun &run)
    {
        const qint64 decided = run.number("stuck_when_end_decided");
        const qint64 end = run.number("stuck_at_end");
        QCOMPARE(run.summary.value(QLatin1String("stuck_judged")).toString(), QStringLiteral("end_decided"));
        QCOMPARE(run.listed(), decided);
        QVERIFY(run.number("end_ts") >= run.number("end_decided_ts"));
        if (decided > 0) {
            QCOMPARE(between(run.said, "stuck when the end was decided: (\\d+) coroutine"), QString::number(decided));
            QCOMPARE(between(run.said, "; at the end of the run[^:]*: (\\d+)\n"), QString::number(end));
        }
        compare(run, QStringLiteral("at the end of the recording"), end, decided);
    }

    static void compare(const JudgedRun &run, const QString &instant, qint64 end, std::optional<qint64> decided)
    {
        MainWindow window;
        window.show();
        window.openFile(run.recording);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), end, kPatienceMs);
        QTRY_COMPARE(qint64{window.findChild<StuckDock *>()->stuckCount()}, end);
        QVERIFY2(headerOf(window).contains(instant), qPrintable(headerOf(window)));
        const QString before = between(headerOf(window), "; (\\d+) when its end was decided, .+ earlier");
        QCOMPARE(before, decided ? QString::number(*decided) : QString());
        gui::takePicture(&window, "stuckinstants");
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestStuckInstants)
#include "tst_stuckinstants.moc"
