// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Clicks through File > Export, checks the files, and opens the same recording again.
#include "core/databases/storedsessions.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/run.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/dialogs/exportwindow.h"
#include "tests/ui/guisupport.h"
#include "ui/format/format.h"
#include "ui/jobs/exportjob.h"
#include "ui/mainwindow.h"
#include "ui/widgets/infobar.h"
#include "ui/widgets/jobbar.h"
#include "ui/widgets/spreadsheetbox.h"

#include <QCheckBox>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSqlDatabase>
#include <QSqlQuery>

using namespace ct;

namespace {

using ct::test::kPatienceMs;

}  // namespace

/// Runs until it is cancelled.
class EndlessJob final : public BackgroundJob {
public:
    explicit EndlessJob(const QString &path = QStringLiteral("/nowhere")) : BackgroundJob(path, nullptr) {}
    ~EndlessJob() override { cancelAndWait(); }

protected:
    void run() override
    {
        while (onProgress(0.5))
            msleep(1);
    }
};

class TestExportUi : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QSettings().clear();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        StartRequest request;
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_server_lossy").toStdString()};
        request.what = spec;
        m_window->start(request);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run().accounting().captured > 1000, kPatienceMs);
        m_window->run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->run().state(), RunState::Ended, kPatienceMs);
    }
    void cleanupTestCase() { m_window.reset(); }

    void exportsSqlite()
    {
        const QString path = m_sandbox.path(QStringLiteral("run.sqlite"));
        exportThroughTheMenu("actionExportSQLite", path);
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("exportui"));
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(
                QStringLiteral("SELECT count(*), min(probe_id), max(tid), max(length(addr)), min(is_active), max(ts) "
                               "FROM coro_trace_events")));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toULongLong(), m_window->run().history()->eventCount());
        }
        QSqlDatabase::removeDatabase(QStringLiteral("exportui"));
    }

    /// The file contains the sums that only the session counts, as a recording of the whole run does.
    void exportsTheSumsOfTheSession()
    {
        MainWindow window;
        window.show();
        StartRequest request;
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_storm").toStdString(), "--coroutines", "40", "--transitions", "400000"};
        request.what = spec;
        request.capture.lanes = false;
        request.capture.stations = 8;
        window.start(request);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        const QString path = m_sandbox.path(QStringLiteral("missing.sqlite"));
        window.exportTo(*exportFormatFor("x.sqlite"), path);
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<JobBar *>()->isRunning(), kPatienceMs);
        const Accounting sums = window.run().accounting();
        QVERIFY(sums.lost > 0);
        QCOMPARE(sums.untraced, 32U);
        const QHash<QString, qulonglong> info = infoIn(path);
        const auto valueOf = [&info](const char *name) { return info.value(QLatin1String(name), ~qulonglong{0}); };
        QCOMPARE(valueOf("events"), sums.captured);
        QCOMPARE(valueOf("lost_events"), sums.lost);
        QCOMPARE(valueOf("missed_before_attach"), sums.missedBeforeAttach);
        QCOMPARE(valueOf("dropped_events"), 0U);
        QCOMPARE(valueOf("coroutines"), sums.coroutines);
        QCOMPARE(valueOf("coroutines_missed"), sums.coroutinesMissed);
        QCOMPARE(valueOf("untraced_coroutines"), sums.untraced);
        QCOMPARE(valueOf("born_while_off"), sums.bornWhileOff);
        QCOMPARE(valueOf("records_dropped"), sums.recordsDropped);
        QCOMPARE(valueOf("notes_lost"), sums.notesLost);
    }

    void exportsCsv()
    {
        const QString path = m_sandbox.path(QStringLiteral("run.csv"));
        exportThroughTheMenu("actionExportCSV", path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readLine().startsWith("probe_id,tid,addr,seq,is_active,ts"));
        std::uint64_t rows = 0;
        while (!file.readLine().isEmpty())
            ++rows;
        QCOMPARE(rows, m_window->run().history()->eventCount());
    }

    void reportsTheFileOfCauses()
    {
        const QString recording = m_sandbox.path(QStringLiteral("causes.jsonl"));
        QFile file(recording);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"probe_id\":1,\"tid\":5,\"addr\":\"0x10\",\"seq\":2,\"is_active\":false,\"ts\":10,\"n\":0,"
                   "\"coroutine\":0,\"pid\":7}\n"
                   "{\"note\":\"wake\",\"coroutine\":0,\"n\":1,\"ts\":20}\n");
        file.close();
        MainWindow window;
        window.show();
        window.openFile(recording);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        window.exportTo(*exportFormatFor("x.csv"), m_sandbox.path(QStringLiteral("causes.csv")));
        const auto *const notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), kPatienceMs);
        const QString causes = m_sandbox.path(QStringLiteral("causes.causes.csv"));
        QVERIFY2(notice->text().contains(QLatin1String("; 1 causes, such as waits and wakes, to ") + causes),
                 qPrintable(notice->text()));
        QVERIFY(QFile::exists(causes));
        gui::takePicture(&window, "export-causes");
    }

    /// Without a recording, the trace in memory is the only source.
    void saysThatTheOrderIsMissing()
    {
        gui::ExportWindow opened(m_sandbox, gui::sampleRecording(2, 4));
        QVERIFY(opened.isOpen);
        opened.window.exportTo(*exportFormatFor("x.jsonl"), m_sandbox.path(QStringLiteral("ordered.jsonl")));
        QVERIFY(opened.hasEnded());
        QTRY_VERIFY_WITH_TIMEOUT(opened.notice().contains(QLatin1String("8 events written")), kPatienceMs);
        QVERIFY2(opened.notice().contains(QLatin1String("; coroutine by coroutine")), qPrintable(opened.notice()));

        m_window->exportTo(*exportFormatFor("x.jsonl"), m_sandbox.path(QStringLiteral("recorded.jsonl")));
        const auto *const notice = m_window->findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY_WITH_TIMEOUT(notice->text().contains(QLatin1String("recorded.jsonl")), kPatienceMs);
        QVERIFY2(!notice->text().contains(QLatin1String("coroutine by coroutine")), qPrintable(notice->text()));
    }

    /// Its reading lasts on when the export begins.
    void saysThatAReplayIsAPart()
    {
        MainWindow window;
        window.show();
        StartRequest request;
        ReplayRequest replay;
        replay.path = m_window->run().replayPath();
        replay.through = m_window->run().population()->now() / 2;
        replay.playing = false;
        request.what = replay;
        window.start(request);
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Capturing, kPatienceMs);
        const QString path = m_sandbox.path(QStringLiteral("replayed.sqlite"));
        window.exportTo(*exportFormatFor("x.sqlite"), path);
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<JobBar *>()->isRunning(), kPatienceMs);
        const auto *const notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QTRY_VERIFY2(notice->text().contains(QLatin1String("; only a part of the recording was read")),
                     qPrintable(notice->text()));
        QCOMPARE(infoIn(path).value(QStringLiteral("part_of_a_recording")), 1U);
        const auto sessions = storedSessions(path.toStdString());
        QVERIFY(bool(sessions));
        QVERIFY2(sessions->front().name.ends_with(" (part)"), sessions->front().name.c_str());
    }

    void remembersCsvForSpreadsheets()
    {
        QSettings().remove(QStringLiteral("export"));
        m_window->findChild<QAction *>(QStringLiteral("actionExportCSV"))->trigger();
        auto *dialog = gui::topLevel<QFileDialog>("exportFileDialog");
        QVERIFY(dialog);
        auto *box = dialog->findChild<QCheckBox *>(QStringLiteral("spreadsheetBox"));
        QVERIFY(box && box->isVisible());
        QVERIFY(!box->isChecked());
        const ExportFormat &csv = *exportFormatFor("x.csv");
        QCOMPARE(&formatAsChosen(csv), &csv);
        box->click();
        QCOMPARE(&formatAsChosen(csv), &forSpreadsheets(csv));
        dialog->reject();
        QTRY_VERIFY(!gui::topLevel<QFileDialog>("exportFileDialog"));
        exportThroughTheMenu("actionExportCSV", m_sandbox.path(QStringLiteral("sheet.csv")));
        QVERIFY(QSettings().value(QStringLiteral("export/csvForSpreadsheets")).toBool());
        QSettings().remove(QStringLiteral("export"));
        m_window->findChild<QAction *>(QStringLiteral("actionExportSQLite"))->trigger();
        dialog = gui::topLevel<QFileDialog>("exportFileDialog");
        QVERIFY(dialog && !dialog->findChild<QCheckBox *>(QStringLiteral("spreadsheetBox")));
        dialog->reject();
        QTRY_VERIFY(!gui::topLevel<QFileDialog>("exportFileDialog"));
    }

    /// Qt's file dialogs have settings of their own.
    void theUsersSettingsStayAsTheyAre()
    {
        const QString temporary = QDir::tempPath() + u'/';
        for (const QSettings::Format format : {QSettings::NativeFormat, QSettings::IniFormat}) {
            const QSettings qt(format, QSettings::UserScope, QStringLiteral("QtProject"));
            QVERIFY2(qt.fileName().startsWith(temporary), qPrintable(qt.fileName()));
        }
    }

    void exportsJsonlThatOpensAgain()
    {
        const QString path = m_sandbox.path(QStringLiteral("run.jsonl"));
        exportThroughTheMenu("actionExportJSONL", path);
        MainWindow second;
        second.show();
        second.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(second.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(second.run().population()->captured(), m_window->run().history()->eventCount());
    }

    void dumpAsksForSettingsOnlyOnce()
    {
        QSettings().remove(QStringLiteral("dump"));
        auto *action = m_window->findChild<QAction *>(QStringLiteral("actionDump"));
        QVERIFY(action->isEnabled());
        action->trigger();
        auto *dialog = gui::topLevel<QWidget>("dumpDialog");  // it asks only the first time
        QVERIFY(dialog);
        const QString folder = m_sandbox.path(QStringLiteral("dumps"));
        QVERIFY(QDir().mkpath(folder));
        dialog->findChild<QLineEdit *>(QStringLiteral("dumpFolder"))->setText(folder);
        QVERIFY(gui::click(dialog, "dumpButton"));
        auto *bar = m_window->findChild<JobBar *>();
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
        QCOMPARE(QDir(folder).entryList(QDir::Files).size(), 1);
        action->trigger();
        QVERIFY(!gui::topLevel<QWidget>("dumpDialog"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
        const QStringList files = QDir(folder).entryList(QDir::Files);
        QCOMPARE(files.size(), 2);
        for (const QString &file : files)
            QVERIFY2(file.startsWith(QLatin1String("ct_server_lossy-")) && file.endsWith(QLatin1String(".sqlite")),
                     qPrintable(file));
    }

    void reportsAFailure()
    {
        m_window->exportTo(exportFormats().front(), QStringLiteral("/nonexistent/directory/run.out"));
        QTRY_VERIFY_WITH_TIMEOUT(gui::topLevel<QWidget>("errorBox"), kPatienceMs);
        gui::topLevel<QWidget>("errorBox")->close();
    }

    void aCancelledExportLeavesNothing()
    {
        const QString path = m_sandbox.path(QStringLiteral("cancelled.csv"));
        auto *bar = m_window->findChild<JobBar *>();
        const ExportFormat *format = exportFormatFor("x.csv");
        QVERIFY(bar && format);
        const Run &run = m_window->run();
        auto job = std::make_unique<ExportJob>(run.population(), run.history(), run.accounting(), *format, path);
        job->cancel();
        bar->start(std::move(job), path, [] { QFAIL("it has succeeded"); });
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
        QVERIFY(!QFile::exists(path));
        QVERIFY(!gui::topLevel<QWidget>("errorBox"));
    }

    /// A second export is refused while the first one runs. The first one is not cancelled.
    void refusesASecondExportDuringTheFirst()
    {
        auto *bar = m_window->findChild<JobBar *>(QStringLiteral("exportBar"));
        bar->start(std::make_unique<EndlessJob>(), QStringLiteral("Exporting first.csv"), [] {});
        const QString path = m_sandbox.path(QStringLiteral("second.csv"));
        m_window->exportTo(*exportFormatFor("x.csv"), path);
        const auto *notice = m_window->findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QVERIFY(notice->text().contains(QLatin1String("Exporting first.csv is still running")));
        QVERIFY(bar->isRunning() && !QFile::exists(path));
        m_window->findChild<QAction *>(QStringLiteral("actionExportCSV"))->trigger();
        QVERIFY(!gui::topLevel<QFileDialog>("exportFileDialog"));
        bar->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
    }

    void aRunningJobShowsRateAndTimeLeft()
    {
        auto *bar = m_window->findChild<JobBar *>(QStringLiteral("exportBar"));
        auto job = std::make_unique<EndlessJob>();
        job->setRows(1e9);
        job->setEnd(QStringLiteral("making indexes"));
        bar->start(std::move(job), QStringLiteral("Exporting run.sqlite"), [] {});
        const auto *rate = m_window->findChild<QLabel *>(QStringLiteral("exportRate"));
        static const QRegularExpression expected(QStringLiteral(R"(^[\d.]+\W[kMG]/s, .+ left, then making indexes$)"));
        QTRY_VERIFY2_WITH_TIMEOUT(expected.match(rate->text()).hasMatch(), qPrintable(rate->text()), kPatienceMs);
        gui::takePicture(m_window.get(), "export-rate");
        // The button stays where it is when the text changes.
        QVERIFY(m_window->findChild<QWidget *>(QStringLiteral("exportCancel"))->x() < rate->x());
        QVERIFY(gui::click(m_window.get(), "exportCancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
    }

    void saysThatARecordingLacksEvents()
    {
        const QString path = m_sandbox.path(QStringLiteral("lacking.ctr"));
        {
            auto writer = RecordingWriter::open(path.toStdString());
            QVERIFY(bool(writer));
            Accounting sums;
            sums.captured = sums.eventsNotWritten = 7000;
            QVERIFY(bool((*writer)->finish(sums)));
        }
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        gui::ExportWindow opened(m_sandbox, file.readAll(), QStringLiteral("opened.ctr"));
        QVERIFY(opened.isOpen);
        QTRY_VERIFY2_WITH_TIMEOUT(opened.notice().contains(QLatin1String("are not in the recording")),
                                  qPrintable(opened.notice()), kPatienceMs);
        QVERIFY2(opened.notice().contains(format::count(7000)), qPrintable(opened.notice()));
    }

    void longNamesDoNotWidenTheWindow()
    {
        gui::ExportWindow opened(m_sandbox, gui::sampleRecording(2, 4));
        QVERIFY(opened.isOpen);
        const int least = opened.window.minimumSizeHint().width();
        const QString name = m_sandbox.path(QString(200, u'n') + QStringLiteral(".csv"));
        opened.window.exportTo(*exportFormatFor("x.csv"), name);
        QTRY_VERIFY_WITH_TIMEOUT(opened.notice().contains(name), kPatienceMs);
        // The name has some 1600 pixels. The findings, which come later, may need some more.
        QVERIFY2(opened.window.minimumSizeHint().width() < least + 300,
                 qPrintable(QString::number(opened.window.minimumSizeHint().width())));

        auto *const bar = opened.window.findChild<JobBar *>(QStringLiteral("exportBar"));
        bar->start(std::make_unique<EndlessJob>(), QStringLiteral("Exporting ") + name, [] {});
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->text(), QStringLiteral("Exporting ") + name);
        QVERIFY2(bar->minimumSizeHint().width() < 600, qPrintable(QString::number(bar->minimumSizeHint().width())));
        gui::takePicture(&opened.window, "export-long-name");
        bar->giveUp();
    }

    void exportsALiveRun()
    {
        MainWindow window;
        window.show();
        StartRequest request;
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_server_lossy").toStdString()};
        request.what = spec;
        window.start(request);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 1000, kPatienceMs);
        window.findChild<QAction *>(QStringLiteral("actionExport"))->trigger();
        auto *const dialog = gui::topLevel<QDialog>("exportDialog");
        QVERIFY(dialog);
        const QString first = gui::labelOf(dialog, "exportEstimate");
        QTRY_VERIFY_WITH_TIMEOUT(gui::labelOf(dialog, "exportEstimate") != first, kPatienceMs);
        dialog->reject();
        // The findings of an export describe a state that is in it.
        const QString path = m_sandbox.path(QStringLiteral("live.sqlite"));
        window.exportTo(*exportFormatFor("x.sqlite"), path);
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<JobBar *>()->isRunning(), kPatienceMs);
        const QHash<QString, qulonglong> info = infoIn(path);
        const qulonglong judged = info.value(QStringLiteral("judged_ts"));
        QVERIFY(judged > 0 && judged <= info.value(QStringLiteral("observed_until_ts")));
        window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    void closingDuringASaveAsksFirst()
    {
        auto *bar = m_window->findChild<JobBar *>(QStringLiteral("saveBar"));
        bar->start(std::make_unique<EndlessJob>(), QStringLiteral("Saving <b>run</b>.ctr"), [] {});
        QVERIFY(!m_window->close());
        auto *box = gui::topLevel<QMessageBox>("runningJobBox");
        QVERIFY(box && box->text().contains(QLatin1String("Saving <b>run</b>.ctr")));
        gui::takePicture(box, "runningjob");
        QVERIFY(box->defaultButton());
        QCOMPARE(box->defaultButton()->objectName(), QStringLiteral("cancelButton"));
        QVERIFY(gui::click(box, "cancelButton"));
        QVERIFY(m_window->isVisible() && bar->isRunning());
        QVERIFY(!m_window->close());
        QVERIFY(gui::click(gui::topLevel<QMessageBox>("runningJobBox"), "closeButton"));
        QVERIFY(!bar->isRunning());
        QVERIFY(!m_window->isVisible());
        m_window->show();
    }

    void theQuestionBeforeClosingFollowsTheJobs()
    {
        auto *saveBar = m_window->findChild<JobBar *>(QStringLiteral("saveBar"));
        auto *exportBar = m_window->findChild<JobBar *>(QStringLiteral("exportBar"));
        const QString server = QStringLiteral("postgresql://me@db/traces");
        saveBar->start(std::make_unique<EndlessJob>(), QStringLiteral("Saving run.ctr"), [] {});
        exportBar->start(std::make_unique<EndlessJob>(server), QStringLiteral("Exporting traces"), [] {});
        QVERIFY(!m_window->close());
        const QPointer<QMessageBox> box = gui::topLevel<QMessageBox>("runningJobBox");
        QVERIFY(box);
        QCOMPARE(box->text(), QStringLiteral("Saving run.ctr, Exporting traces is still running."));
        QVERIFY(box->informativeText().contains(QLatin1String("the file is discarded, and nothing of the session")));
        saveBar->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(box->text(), QStringLiteral("Exporting traces is still running."), kPatienceMs);
        QCOMPARE(box->windowTitle(), QStringLiteral("A session is still being stored"));
        QCOMPARE(box->informativeText(),
                 QStringLiteral("If you close the window now, nothing of the session is stored, unless the server is "
                                "publishing it at that moment."));
        exportBar->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!box, kPatienceMs);
        QVERIFY(m_window->isVisible() && !exportBar->isRunning());
    }

    void refusesNamesOfCompressedDatabases()
    {
        const QString path = m_sandbox.path(QStringLiteral("packed.sqlite.gz"));
        m_window->exportTo(*exportFormatFor("x.sqlite"), path);
        const auto *notice = m_window->findChild<InfoBar *>(QStringLiteral("noticeBar"));
        QVERIFY2(notice->text().contains(QLatin1String("packed.sqlite.gz would not be compressed")),
                 qPrintable(notice->text()));
        QVERIFY(!m_window->findChild<JobBar *>(QStringLiteral("exportBar"))->isRunning() && !QFile::exists(path));
    }

private:
    static QHash<QString, qulonglong> infoIn(const QString &path)
    {
        QHash<QString, qulonglong> info;
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("exportui"));
            database.setDatabaseName(path);
            database.open();
            QSqlQuery query(QStringLiteral("SELECT name, value FROM trace_info"), database);
            while (query.next())
                info.insert(query.value(0).toString(), query.value(1).toULongLong());
        }
        QSqlDatabase::removeDatabase(QStringLiteral("exportui"));
        return info;
    }

    void exportThroughTheMenu(const char *action, const QString &path)
    {
        m_window->findChild<QAction *>(QLatin1String(action))->trigger();
        auto *dialog = gui::topLevel<QFileDialog>("exportFileDialog");
        QVERIFY(dialog);
        auto *name = dialog->findChild<QLineEdit *>(QStringLiteral("fileNameEdit"));
        QVERIFY(name);
        name->setText(path);
        QTest::keyClick(name, Qt::Key_Return);
        auto *bar = m_window->findChild<JobBar *>();
        QTRY_VERIFY_WITH_TIMEOUT(!bar->isRunning(), kPatienceMs);
        QVERIFY(QFile::exists(path));
        QTRY_VERIFY(m_window->findChild<QWidget *>(QStringLiteral("noticeBar"))->isVisible());
    }

    gui::Sandbox m_sandbox;
    std::unique_ptr<MainWindow> m_window;
};

CT_QT_SUITE(TestExportUi)
#include "tst_exportui.moc"
