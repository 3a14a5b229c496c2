// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The system refuses every thread (ulimit -u): the window reports the failed work, stays usable, and does it later.
#include "core/recording/write/recordingwriter.h"
#include "core/session/recordedrunsthread.h"
#include "core/session/run.h"
#include "core/session/runjudge.h"
#include "models/coroutinetablemodel.h"
#include "tests/support/createthread.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/jobs/qtthreads.h"
#include "ui/mainwindow.h"
#include "ui/widgets/jobbar.h"

#include <QMessageBox>
#include <QSignalSpy>
#include <QThreadPool>

using namespace ct;
using ct::test::NoMoreThreads;

namespace {

using ct::test::kPatienceMs;
constexpr std::uint64_t kSecond = 1'000'000'000;

/// A batch with `count` suspended coroutines, each with one event.
Batch suspended(CoroutineId count, std::uint64_t now)
{
    Batch batch;
    batch.now = now;
    for (CoroutineId id = 0; id < count; ++id) {
        Birth birth;
        birth.coroutine = id;
        birth.dialect = Dialect::Lane;
        birth.pid = 7;
        birth.birthTs = kSecond;
        batch.births.push_back(birth);
        Transition event;
        event.coroutine = id;
        event.ts = kSecond;
        event.addr = 0xF000 + id;
        batch.transitions.push_back(event);
    }
    return batch;
}

bool isRefusal(const QString &message)
{
    return message.contains(QLatin1String("cannot start a thread")) && message.contains(QLatin1String("ulimit -u"));
}

}  // namespace

class TestQtThreads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!ct::test::kCanRefuseThreads)
            CT_QSKIP("a sanitizer starts the threads itself");
        QSettings().clear();
        keepPaintingThread();
        m_recording = m_sandbox.path(QStringLiteral("run.ctr"));
        const auto writer = RecordingWriter::open(m_recording.toStdString());
        QVERIFY(writer);
        QVERIFY((*writer)->consume(suspended(3, 2 * kSecond)));
        QVERIFY((*writer)->finish({}));
    }
    void init()
    {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void aRecordingOpensAfterAThreadIsAvailable()
    {
        QSignalSpy failed(m_window.get(), &MainWindow::failed);
        {
            const NoMoreThreads none;
            m_window->openFile(m_recording);
            QCOMPARE(failed.size(), 1);
            QVERIFY2(isRefusal(failed.first().first().toString()), qPrintable(failed.first().first().toString()));
            QVERIFY(failed.first().first().toString().contains(m_recording));
            QCOMPARE(m_window->run().state(), RunState::Idle);
            closeErrorBox();
        }
        open();
        QCOMPARE(m_window->run().population()->size(), 3U);
        QCOMPARE(failed.size(), 1);
    }

    void aReplayLeavesTheRecordingOpen()
    {
        open();
        QVERIFY(m_window->run().canReplay());
        const NoMoreThreads none;
        QSignalSpy failed(m_window.get(), &MainWindow::failed);
        m_window->findChild<QAction *>(QStringLiteral("actionReplay"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatienceMs);
        QVERIFY2(isRefusal(failed.first().first().toString()), qPrintable(failed.first().first().toString()));
        QVERIFY(!m_window->run().gate());
        QCOMPARE(m_window->run().population()->size(), 3U);
        closeErrorBox();
    }

    void exportsAndSavesFailAtOnce()
    {
        open();
        const QString exported = m_sandbox.path(QStringLiteral("run.csv"));
        const QString saved = m_sandbox.path(QStringLiteral("saved.ctr"));
        {
            const NoMoreThreads none;
            QSignalSpy failed(m_window.get(), &MainWindow::failed);
            m_window->exportTo(*exportFormatFor("x.csv"), exported);
            QCOMPARE(failed.size(), 1);
            QVERIFY2(isRefusal(failed.last().first().toString()), qPrintable(failed.last().first().toString()));
            closeErrorBox();
            m_window->saveRecording(m_recording, saved);
            QCOMPARE(failed.size(), 2);
            QVERIFY2(isRefusal(failed.last().first().toString()), qPrintable(failed.last().first().toString()));
            closeErrorBox();
            for (const JobBar *bar : m_window->findChildren<JobBar *>())
                QVERIFY(!bar->isRunning() && !bar->isVisible());
        }
        QVERIFY(!QFile::exists(exported) && !QFile::exists(saved));
        m_window->exportTo(*exportFormatFor("x.csv"), exported);
        m_window->saveRecording(m_recording, saved);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(exported) && QFile::exists(saved), kPatienceMs);
    }

    void recordingsAreListedAfterAThreadIsAvailable()
    {
        const std::string path = m_sandbox.path(QStringLiteral("gone.ctr")).toStdString();
        RecordedRunsThread recordedRuns(QFileInfo(m_recording).path());
        QSignalSpy listed(&recordedRuns, &RecordedRunsThread::listed);
        QSignalSpy failed(&recordedRuns, &RecordedRunsThread::failedToList);
        QSignalSpy removed(&recordedRuns, &RecordedRunsThread::removed);
        QSignalSpy spaceFreed(&recordedRuns, &RecordedRunsThread::spaceFreed);
        {
            const NoMoreThreads none;
            recordedRuns.refresh();
            recordedRuns.remove({path});
            recordedRuns.freeSpace(1);
            QVERIFY(failed.isEmpty() && removed.isEmpty() && spaceFreed.isEmpty());  // emitted later
            QTRY_COMPARE_WITH_TIMEOUT(spaceFreed.size(), 1, kPatienceMs);
            QCOMPARE(failed.size(), 1);
            QVERIFY(isRefusal(failed.first().first().toString()));
            QCOMPARE(removed.size(), 1);
            QVERIFY(isRefusal(removed.first().first().toStringList().value(0)));
            const std::vector<std::string> failures = spaceFreed.first().first().value<FreedSpace>().failures;
            QVERIFY(failures.size() == 1 && isRefusal(QString::fromStdString(failures.front())));
        }
        recordedRuns.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(listed.size(), 1, kPatienceMs);
    }

    void manyCoroutinesAreSortedAndJudgedWithoutAThread()
    {
        Population population;
        const CoroutineId many = 20'000;
        QVERIFY(population.consume(suspended(many, 60 * kSecond)));
        CoroutineTableModel table;
        auto history = std::make_shared<History>(16U << 20U);
        RunJudge judge({std::shared_ptr<void>(), &population}, history, nullptr);
        {
            const NoMoreThreads none;
            table.setPopulation(&population);
            table.sort(CoroutineTableModel::IdColumn, Qt::DescendingOrder);
            QVERIFY(!table.isSorting());
            QCOMPARE(table.idAt(0), many - 1);
            judge.sample(RunJudge::Stage::Running);
            QVERIFY(judge.latest());
            QVERIFY(none.refused() > 0);
        }
        table.sort(CoroutineTableModel::IdColumn, Qt::AscendingOrder);
        QVERIFY(table.isSorting());
        QTRY_VERIFY_WITH_TIMEOUT(!table.isSorting(), kPatienceMs);
        QCOMPARE(table.idAt(0), 0U);
    }

    /// Qt's painting would wait forever for a thread that cannot start.
    void paintingStartsNoThread()
    {
        QVERIFY(QThreadPool::globalInstance()->expiryTimeout() < 0);
        const NoMoreThreads none;
        QImage image(2000, 2000, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::red);
        QCOMPARE(image.convertToFormat(QImage::Format_RGBA8888).pixelColor(1999, 1999), QColor(Qt::red));
        QCOMPARE(none.refused(), 0);
    }

    void theStartOfAWindowNeedsThreads()
    {
        QVERIFY(checkWindowThreads());
        const NoMoreThreads none;
        const Result<void> checked = checkWindowThreads();
        QVERIFY(!checked);
        QVERIFY(isRefusal(QString::fromStdString(checked.error().message)));
    }

private:
    void open()
    {
        m_window->openFile(m_recording);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->run().state(), RunState::Ended, kPatienceMs);
    }
    void closeErrorBox()
    {
        auto *box = gui::topLevel<QMessageBox>("errorBox");
        QVERIFY(box);
        box->close();
    }

    gui::Sandbox m_sandbox;
    QString m_recording;
    std::unique_ptr<MainWindow> m_window;
};

CT_QT_SUITE(TestQtThreads)
#include "tst_qtthreads.moc"
