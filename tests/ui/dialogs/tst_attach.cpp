// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Attach dialog: it finds regions that have no owner, attaches to them, and deletes unused ones.
#include "core/region/region.h"
#include "core/session/run.h"
#include "tests/support/lanewriter.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/mainwindow.h"

#include <QFile>
#include <QProcess>
#include <QTableView>
#include <QTreeWidget>

#include <chrono>
#include <csignal>
#include <unistd.h>

using namespace ct;

namespace {

using ct::test::kPatienceMs;

/// Starts a server in a session. After stop(), its region has a living target and no owner.
struct Orphan {
    QString region;
    pid_t pid = 0;
    std::unique_ptr<Session> session = std::make_unique<Session>();

    bool start()
    {
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_server_lossy").toStdString(), "--seconds", "600"};
        spec.output = OutputMode::Pty;
        CaptureSpec capture;
        capture.stations = 8192;
        if (!session->start({spec, capture}))
            return false;
        region = session->regionPath();
        pid = session->target()->pid();
        return QTest::qWaitFor([this] { return session->accounting().coroutines > 0; }, kPatienceMs);
    }
    void stop()
    {
        session->stop();
        QTRY_COMPARE_WITH_TIMEOUT(session->state(), RunState::Ended, kPatienceMs);
    }
    ~Orphan()
    {
        if (pid > 0)
            ::kill(-pid, SIGKILL);
        QFile::remove(region);
        QFile::remove(region + QStringLiteral(".sock"));
    }
};

QWidget *openAttachDialog(MainWindow &window)
{
    window.findChild<QAction *>(QStringLiteral("actionAttach"))->trigger();
    return gui::topLevel<QWidget>("attachDialog");
}

/// Selects the row of this region. Returns false if it is not listed.
bool selectRegion(QWidget *dialog, const QString &path)
{
    auto *table = dialog->findChild<QTreeWidget *>(QStringLiteral("regionTable"));
    for (int row = 0; row < table->topLevelItemCount(); ++row) {
        if (table->topLevelItem(row)->text(0) == path) {
            table->setCurrentItem(table->topLevelItem(row));
            return true;
        }
    }
    return false;
}

}  // namespace

class TestAttach : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QSettings().clear(); }

    void aRegionInUseCanBeAttachedButNotDeleted()
    {
        Orphan orphan;
        QVERIFY(orphan.start());
        orphan.stop();
        QVERIFY(QFile::exists(orphan.region));

        MainWindow window;
        window.show();
        QWidget *dialog = openAttachDialog(window);
        QVERIFY(dialog);
        QVERIFY(selectRegion(dialog, orphan.region));
        gui::takePicture(dialog, "attach");
        // The target lives: the window can attach to the region, but not delete it.
        QVERIFY(!gui::click(dialog, "deleteButton"));
        QVERIFY(gui::click(dialog, "attachButton"));
        auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 10, kPatienceMs);
        QVERIFY(!window.run().isObserver());
        QTRY_VERIFY_WITH_TIMEOUT(window.run().accounting().captured > 0, kPatienceMs);
        gui::takePicture(&window, "attached");
        window.findChild<QAction *>(QStringLiteral("actionStop"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
    }

    void aSecondWindowIsAnObserver()
    {
        Orphan orphan;
        QVERIFY(orphan.start());
        MainWindow window;
        window.show();
        window.openFile(orphan.region);
        auto *table = window.findChild<QTableView *>(QStringLiteral("coroutineTable"));
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 10, kPatienceMs);
        QVERIFY(window.run().isObserver());
        QVERIFY(window.windowTitle().contains(QLatin1String("read-only")));
        QTRY_VERIFY(window.findChild<QWidget *>(QStringLiteral("noticeBar"))->isVisible());
        orphan.session->terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(orphan.session->state(), RunState::Ended, kPatienceMs);
        orphan.pid = 0;
    }

    void leftOverRegionsAreDeleted()
    {
        Orphan orphan;
        QVERIFY(orphan.start());
        orphan.stop();
        QVERIFY(QFile::exists(orphan.region));
        QCOMPARE(::kill(-orphan.pid, SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!orphan.session->target()->isRunning(), kPatienceMs);
        orphan.pid = 0;
        orphan.session.reset();

        MainWindow window;
        window.show();
        QWidget *dialog = openAttachDialog(window);
        QVERIFY(dialog);
        QVERIFY(selectRegion(dialog, orphan.region));
        QVERIFY(gui::click(dialog, "deleteButton"));
        QTRY_VERIFY(!selectRegion(dialog, orphan.region));
        QVERIFY(!QFile::exists(orphan.region));
        dialog->close();
    }

    void listsFlightRecordersAsSuch()
    {
        QProcess target;
        target.start(gui::targetPath("ct_flight"), {});
        QVERIFY(target.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(target.canReadLine(), kPatienceMs);
        const QString region = QString::fromLocal8Bit(target.readLine()).trimmed();
        MainWindow window;
        window.show();
        QWidget *dialog = openAttachDialog(window);
        QVERIFY(dialog);
        QVERIFY(selectRegion(dialog, region));
        const auto *table = dialog->findChild<QTreeWidget *>(QStringLiteral("regionTable"));
        QCOMPARE(table->currentItem()->text(1), QStringLiteral("Flight recorder, alive"));
        gui::takePicture(dialog, "attach-flight");
        target.kill();
        QVERIFY(target.waitForFinished(kPatienceMs));
        const auto killedAt = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        QVERIFY(gui::click(dialog, "refreshButton"));
        QVERIFY(selectRegion(dialog, region));
        QCOMPARE(table->currentItem()->text(1), QStringLiteral("Flight recorder, ended"));
        // Everything that the dead target left is shown.
        QVERIFY(gui::click(dialog, "attachButton"));
        QTRY_COMPARE_WITH_TIMEOUT(window.run().state(), RunState::Ended, kPatienceMs);
        QVERIFY(window.run().population()->size() >= 100);
        QVERIFY(window.run().history()->eventCount() > 0);
        // Time stops when the target died.
        QVERIFY(window.run().population()->now() >= window.run().history()->lastTs());
        QVERIFY(window.run().population()->now() <= killedAt);
        for (const ProcessSnapshot &process : window.run().population()->processes())
            QVERIFY(process.endTs != 0 && process.endTs <= killedAt);
        gui::takePicture(&window, "flight");
        QFile::remove(region);
    }

    /// Entries of a target without /proc have neither a pid namespace nor a start time: each may be this process.
    void listsOnlySomeOfManyTargets()
    {
        RegionSpec spec;
        spec.stations = 64;
        auto region = Region::create(spec);
        QVERIFY2(region, region ? "" : region.error().message.c_str());
        const auto removed = qScopeGuard([&region] { static_cast<void>(region->remove()); });
        for (int i = 0; i < 12; ++i) {
            const lanewriter::Process process(*region->writableHeader(), static_cast<std::uint32_t>(::getpid()), 0);
            process.entry().pid_namespace.store(0);
        }
        MainWindow window;
        window.show();
        QWidget *dialog = openAttachDialog(window);
        QVERIFY(dialog);
        QVERIFY(selectRegion(dialog, QString::fromStdString(region->path())));
        const QTreeWidgetItem *item = dialog->findChild<QTreeWidget *>(QStringLiteral("regionTable"))->currentItem();
        for (const QString &text : {item->text(2), item->toolTip(2)}) {
            QCOMPARE(text.count(QStringLiteral(", may be alive")), 8);
            QVERIFY2(text.contains(QStringLiteral(", may be alive, and 4 more")), qPrintable(text));
        }
        dialog->close();
    }

    void refusesFilesThatAreNoRegion()
    {
        QFile file(m_sandbox.path(QStringLiteral("wrong.shm")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no region");
        file.close();
        MainWindow window;
        window.show();
        window.openFile(file.fileName());
        QTRY_VERIFY(gui::topLevel<QWidget>("errorBox"));
        gui::topLevel<QWidget>("errorBox")->close();
        QCOMPARE(window.run().state(), RunState::Idle);
    }

private:
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestAttach)
#include "tst_attach.moc"
