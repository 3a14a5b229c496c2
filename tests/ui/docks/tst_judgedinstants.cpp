// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// One recording has one verdict: the report of the batch run that made it, the report about the recording, and the
// window show the same findings, and each names the instant.
#include "core/recording/read/segments.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "models/findingsmodel.h"
#include "tests/support/qtsuite.h"
#include "tests/support/runner.h"
#include "tests/ui/guisupport.h"
#include "ui/docks/findingsdock.h"
#include "ui/mainwindow.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QTreeView>

using namespace ct;

namespace {

constexpr int kPatienceMs = 120'000;

/// Runs a batch. Returns its exit status, or -1.
int batch(const QStringList &arguments)
{
    QProcess process;
    process.start(gui::targetPath("corotracer-gui"), QStringList{QStringLiteral("--batch")} + arguments);
    return process.waitForFinished(kPatienceMs) ? process.exitCode() : -1;
}

QString line(const QString &severity, const QString &rule, qint64 count, qint64 since)
{
    return QStringLiteral("%1 %2 of %3 since %4").arg(severity, rule).arg(count).arg(since);
}

/// The findings of a report, one line each, sorted.
QStringList reported(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {QStringLiteral("no file")};
    QStringList lines;
    for (const QJsonValue value :
         QJsonDocument::fromJson(file.readAll()).object().value(QLatin1String("findings")).toArray()) {
        const QJsonObject finding = value.toObject();
        lines << line(
            finding.value(QLatin1String("severity")).toString(), finding.value(QLatin1String("rule")).toString(),
            finding.value(QLatin1String("count")).toInteger(), finding.value(QLatin1String("since_ns")).toInteger());
    }
    lines.sort();
    return lines;
}

QString text(std::string_view view)
{
    return QString::fromLatin1(view.data(), static_cast<qsizetype>(view.size()));
}

/// The findings that the window lists, in the form of reported().
QStringList listed(const MainWindow &window)
{
    const QAbstractItemModel *model = window.findChild<QTreeView *>(QStringLiteral("findingsTree"))->model();
    QStringList lines;
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex index = model->index(row, 0);
        lines << line(text(nameOf(static_cast<Severity>(index.data(FindingsModel::SeverityRole).toInt()))),
                      text(nameOf(static_cast<Rule>(index.data(FindingsModel::RuleRole).toInt()))),
                      index.data(FindingsModel::CountRole).toLongLong(),
                      index.data(FindingsModel::SinceRole).toLongLong());
    }
    lines.sort();
    return lines;
}

/// The sentence about the verdict.
QString headerOf(const MainWindow &window)
{
    const auto *summary = window.findChild<QLabel *>(QStringLiteral("findingsSummary"));
    return summary->isVisible() ? summary->text() : window.findChild<QLabel *>(QStringLiteral("findingsEmpty"))->text();
}

bool isJudged(const MainWindow &window)
{
    return window.run().state() == RunState::Ended && window.run().judge()->latest() &&
           window.run().judge()->latest()->isLast;
}

}  // namespace

class TestJudgedInstants : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void aRunEndedByTheEngineIsJudgedAtTheDecision()
    {
        runner::Batch batch(reportOptions(), lossyServer());
        batch.process().setWorkingDirectory(batch.path(""));
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForLostWakeUp(), batch.err().constData());
        batch.signal(SIGTERM);
        compareVerdicts(batch, QStringLiteral("when the end of the run was decided"));
    }

    void aRunThatEndsItselfIsJudgedAtItsEnd()
    {
        runner::Batch batch(reportOptions(), lossyServer());
        batch.process().setWorkingDirectory(batch.path(""));
        QVERIFY(batch.start());
        QVERIFY2(batch.waitForLostWakeUp(), batch.err().constData());
        // On SIGTERM the server ends as it does when its time is over.
        const pid_t target = runner::childOf(batch.process());
        QVERIFY(target > 0);
        QCOMPARE(::kill(target, SIGTERM), 0);
        compareVerdicts(batch, QStringLiteral("at the end of the recording"));
    }

    /// The user ends the target in the window: the window, its recording, and a report agree.
    void aTargetEndedInTheWindow()
    {
        QStringList live;
        QString recording;
        {
            MainWindow window;
            window.resize(1440, 900);
            window.show();
            LaunchSpec target;
            target.argv = {gui::targetPath("ct_server_lossy").toStdString(), "--seconds", "600"};
            StartRequest request;
            request.what = target;
            window.start(request);
            // Not a warning: on a busy machine, a coroutine may be resumed so late that there is one until then.
            QTRY_VERIFY_WITH_TIMEOUT(!listed(window).filter(QStringLiteral("error lost-wakeup")).isEmpty(),
                                     kPatienceMs);
            QVERIFY(headerOf(window).contains(QLatin1String("at present")));
            // A finding of a live run is announced without stealing the focus.
            auto *bar = window.findChild<QWidget *>(QStringLiteral("findingBar"));
            QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatienceMs);  // the area of the bars is laid out later
            QCOMPARE(QApplication::activeModalWidget(), nullptr);
            gui::takePicture(&window, "findings-live");
            window.run().terminateTarget();
            QTRY_VERIFY_WITH_TIMEOUT(isJudged(window), kPatienceMs);
            QVERIFY2(headerOf(window).contains(QLatin1String("when the end of the run was decided")),
                     qPrintable(headerOf(window)));
            live = listed(window);
            QVERIFY(!live.isEmpty());
            recording = QString::fromStdString(window.run().replayPath());
        }
        compare(recording, live, QStringLiteral("when the end of the run was decided"));
        QCOMPARE(judge(recording), live);
    }

private:
    static QStringList reportOptions() { return runner::words("-o run.ctr --report json --report-out live.json"); }
    static QStringList lossyServer() { return runner::target("ct_server_lossy", runner::words("--seconds 600")); }

    /// Waits for the end of a batch run with reportOptions().
    void compareVerdicts(runner::Batch &batch, const QString &instant)
    {
        QVERIFY(batch.wait());
        QCOMPARE(batch.exitCode(), 0);
        const QStringList live = reported(batch.path("live.json"));
        QVERIFY(!live.isEmpty());
        QCOMPARE(judge(batch.path("run.ctr")), live);
        compare(batch.path("run.ctr"), live, instant);
    }

    QStringList judge(const QString &recording)
    {
        const QString report = m_sandbox.path(QStringLiteral("judged.json"));
        if (batch({QStringLiteral("--input"), recording, QStringLiteral("--report"), QStringLiteral("json"),
                   QStringLiteral("--report-out"), report}) != 0)
            return {QStringLiteral("the batch failed")};
        return reported(report);
    }

    static void compare(const QString &recording, const QStringList &expected, const QString &instant)
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        window.openFile(recording);
        QTRY_VERIFY_WITH_TIMEOUT(isJudged(window), kPatienceMs);
        QCOMPARE(listed(window), expected);
        QVERIFY2(headerOf(window).contains(instant), qPrintable(headerOf(window)));
        gui::takePicture(&window, "findings-recording");
    }

    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestJudgedInstants)
#include "tst_judgedinstants.moc"
