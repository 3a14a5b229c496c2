// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A region on a file system that is too small for it: the window reports it, and the target is not affected.
#include "core/exporting/exportformat.h"
#include "core/session/run.h"
#include "tests/support/privatetmpfs.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/mainwindow.h"
#include "ui/sampler.h"
#include "ui/widgets/infobar.h"

#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr std::uint64_t kSmall = 20ULL << 20;

/// Mounted before Qt starts threads, because a mount namespace is per thread. Targets inherit it.
std::optional<smalltmpfs::Tmpfs> g_small;

QString smallDirectory()
{
    return QString::fromStdString(*g_small->path());
}

}  // namespace

class TestFullRegion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        if (!g_small->path())
            CT_QSKIP("no file system can be mounted here");
        m_window.show();
    }

    void reportsAFullFileSystem()
    {
        start(smallDirectory(), QStringLiteral("400000"));
        QTRY_VERIFY_WITH_TIMEOUT(isNoticeShown(), kPatienceMs);
        // The session emits the notice at once. The status bar changes with the next sample.
        QTRY_VERIFY_WITH_TIMEOUT(field("statusFull")->isVisible(), kPatienceMs);
        gui::takePicture(&m_window, "fullregion");
        m_window.findChild<QDockWidget *>(QStringLiteral("captureDock"))->raise();
        QTRY_VERIFY(field("gaugeRegion")->text().contains(QStringLiteral("file system is full")));
        QTRY_VERIFY_WITH_TIMEOUT(m_window.run().accounting().untraced > 0, kPatienceMs);
        QVERIFY(m_window.run().targetRuns());
    }

    /// The file system stays full, but a notice that the user closed does not appear again.
    void aClosedNoticeStaysClosed()
    {
        notice()->hide();
        // The notice about the export replaces all earlier notices.
        m_window.exportTo(*exportFormatFor("x.csv"), m_sandbox.path(QStringLiteral("run.csv")));
        QTRY_VERIFY_WITH_TIMEOUT(notice()->isVisible(), kPatienceMs);
        QVERIFY(notice()->text().contains(QStringLiteral("run.csv")));
        QSignalSpy ticks(&m_window.sampler(), &Sampler::ticked);
        QTRY_VERIFY_WITH_TIMEOUT(ticks.size() > 3, kPatienceMs);
        QVERIFY(m_window.run().accounting().growthStopped);
        QVERIFY(!isNoticeShown());
        QVERIFY(field("statusFull")->isVisible());
    }

    void theTargetEndsNormallyWithCompleteSums()
    {
        QSignalSpy exits(&m_window.run(), &Run::targetExited);
        // A target that is terminated creates no more coroutines.
        const auto born = [this] {
            const Accounting sums = m_window.run().accounting();
            return sums.coroutines + sums.untraced;
        };
        QTRY_COMPARE_WITH_TIMEOUT(born(), 400'000U, kPatienceMs);
        m_window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(m_window.run().state(), RunState::Ended, kPatienceMs);
        QCOMPARE(exits.size(), 1);
        QCOMPARE(exits.first().first().value<ExitStatus>().code, 0);
        QVERIFY(m_window.run().accounting().growthStopped);
        QCOMPARE(born(), 400'000U);
    }

    void eachFullCaptureHasItsOwnNotice()
    {
        start(m_sandbox.path({}), QStringLiteral("1000"));
        QTRY_COMPARE_WITH_TIMEOUT(m_window.run().accounting().coroutines, 1000U, kPatienceMs);
        QSignalSpy ticks(&m_window.sampler(), &Sampler::ticked);
        QTRY_VERIFY_WITH_TIMEOUT(ticks.size() > 1, kPatienceMs);
        QVERIFY(!isNoticeShown());
        QVERIFY(!field("statusFull")->isVisible());
        m_window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(m_window.run().state(), RunState::Ended, kPatienceMs);
        // The next capture that fills the file system has a notice of its own.
        start(smallDirectory(), QStringLiteral("400000"));
        QTRY_VERIFY_WITH_TIMEOUT(isNoticeShown(), kPatienceMs);
        m_window.run().terminateTarget();
        QTRY_COMPARE_WITH_TIMEOUT(m_window.run().state(), RunState::Ended, kPatienceMs);
    }

private:
    void start(const QString &directory, const QString &coroutines)
    {
        StartRequest request;
        LaunchSpec spec;
        spec.argv = {gui::targetPath("ct_many").toStdString(), "--coroutines", coroutines.toStdString()};
        request.what = spec;
        request.capture.regionPath = (directory + QStringLiteral("/r.shm")).toStdString();
        request.capture.socketPath = m_sandbox.path(QStringLiteral("r.sock")).toStdString();
        m_window.start(request);
        QVERIFY(!gui::topLevel<QWidget>("errorBox"));
    }
    InfoBar *notice() { return m_window.findChild<InfoBar *>(QStringLiteral("noticeBar")); }
    bool isNoticeShown()
    {
        return notice()->isVisible() &&
               notice()->text().contains(QStringLiteral("The file system of the region is full"));
    }
    QLabel *field(const char *name) { return m_window.findChild<QLabel *>(QLatin1String(name)); }

    gui::Sandbox m_sandbox;
    MainWindow m_window;
};

CT_QT_SUITE_PREPARED(TestFullRegion, [] { g_small.emplace(kSmall); })
#include "tst_fullregion.moc"
