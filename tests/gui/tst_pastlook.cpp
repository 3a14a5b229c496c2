// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs that are longer than memory: what the timeline looks at comes back from the recording, of a file and live.
#include "core/recording/recordingwriter.h"
#include "core/session/recall.h"
#include "models/timelinegeometry.h"
#include "tests/gui/guisupport.h"
#include "ui/capture.h"
#include "ui/mainwindow.h"
#include "ui/pastlook.h"
#include "ui/theme.h"
#include "ui/timelineview.h"

#include <QScrollBar>

using namespace ct;

namespace {

constexpr int kPatience = 60'000;  // ms
constexpr int kKeepMiB = 24;       ///< some 18 MiB of history, 6 of what comes back
constexpr std::uint64_t kBegin = 50'000'000'000;
constexpr std::uint32_t kCoroutines = 40;

/// Coroutines that take turns for three million events, and one that waits in the middle of them.
void record(const std::string &path)
{
    const auto writer = RecordingWriter::open(path);
    QVERIFY(writer);
    std::vector<std::uint64_t> next(kCoroutines);
    Batch batch;
    batch.sites.push_back({1, 33, 9, "src/server.cpp", "handleConnection(Connection&)"});
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back({id, id, 1, 4711, Dialect::Lane, 100 + std::uint64_t{id}, kBegin});
    std::uint64_t ts = kBegin;
    for (std::uint64_t i = 0; i < 3'000'000; ++i) {
        ts += 900 + i * 7919 % 200;
        const auto id = static_cast<CoroutineId>(i * 31 % kCoroutines);
        if (id == 3 && i > 500'000 && i < 2'000'000)
            continue;
        Transition event;
        event.coroutine = id;
        event.ts = ts;
        event.n = next[id]++;
        event.seq = slotSeq(Dialect::Lane, event.n);
        event.tid = 4712 + id % 3;
        event.active = event.n % 2 != 0;
        event.site = event.active ? kUnknownSite : 1;
        batch.transitions.push_back(event);
        if (batch.transitions.size() == 8192 || i + 1 == 3'000'000) {
            batch.now = ts;
            QVERIFY((*writer)->consume(batch));
            batch.clear();
        }
    }
    QVERIFY((*writer)->finish({}));
}

/// A run that is longer than memory, at a pace at which nothing is lost.
bool runToTheEnd(MainWindow &window)
{
    LaunchSpec storm;
    storm.argv = {gui::targetPath("ct_storm").toStdString()};
    for (const char *argument : {"--coroutines", "50", "--transitions", "4000000", "--rate", "3000000"})
        storm.argv.emplace_back(argument);
    StartRequest request;
    request.what = storm;
    window.start(request);
    return QTest::qWaitFor([&] { return window.capture().state() == SessionState::Ended; }, kPatience);
}

bool isShown(const Capture &capture, const TimelineView &view)
{
    const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(0, view.visibleFrom()));
    return capture.history()->isInMemory(from, from + static_cast<std::uint64_t>(view.visibleSpan()));
}

/// Once the view shows what has come.
void takePicture(MainWindow &window, const char *name)
{
    if (qEnvironmentVariableIsSet("CT_PICTURES"))
        QTest::qWait(200);
    gui::takePicture(&window, name);
}

/// The beginning of the run, at a zoom that fits.
void goToTheBeginning(TimelineView *view, const Capture &capture)
{
    view->setFollowLive(false);
    view->zoomToFit();
    const auto run = static_cast<std::int64_t>(capture.history()->lastTs() - capture.history()->firstTs());
    while (view->visibleSpan() > run / 20)
        view->zoomIn();
    QTest::keyClick(view, Qt::Key_Home);
    QTRY_VERIFY(view->visibleFrom() <= static_cast<std::int64_t>(capture.history()->firstTs()));
}

}  // namespace

class TestPastLook : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        QSettings().setValue(QStringLiteral("capture/keepMiB"), kKeepMiB);
        m_cache.emplace();
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_cache->path()));
    }
    void cleanup() { m_cache.reset(); }

    void aFileThatIsLargerThanMemory_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void aFileThatIsLargerThanMemory()
    {
        QFETCH(const bool, dark);
        applyTheme(dark ? Theme::Dark : Theme::Light);
        const QString path = m_cache->filePath(QStringLiteral("large.ctr"));
        record(path.toStdString());
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        window.openFile(path);
        // The window shows it as a whole then, once.
        QTRY_VERIFY_WITH_TIMEOUT(window.windowTitle().contains(QLatin1String("Recording")), kPatience);
        const auto history = window.capture().history();
        QVERIFY(history->droppedEvents() > 1'000'000);
        auto *view = window.findChild<TimelineView *>();
        // As a whole it does not fit; the end of the rest comes all the same.
        view->zoomToFit();
        QTRY_VERIFY_WITH_TIMEOUT(history->restoredVersion() > 0, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.capture().recall()->isBusy(), kPatience);
        QVERIFY(!isShown(window.capture(), *view));
        takePicture(window, dark ? "pastlook-whole-dark" : "pastlook-whole");
        goToTheBeginning(view, window.capture());
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.capture(), *view), kPatience);
        QCOMPARE(window.capture().recall()->lostPieces(), 0U);
        takePicture(window, dark ? "pastlook-begin-dark" : "pastlook-begin");
        // The very first events of all.
        for (CoroutineId id = 0; id < kCoroutines; ++id)
            QVERIFY(history->veryFirst(id) != 0);
        // The file goes: what is here stays, what is not cannot come, and it is said.
        QVERIFY(QFile::remove(path));
        QTest::keyClick(view, Qt::Key_PageDown, Qt::NoModifier);
        QVERIFY(isShown(window.capture(), *view));
    }

    void aRunThatIsLargerThanMemory()
    {
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        QVERIFY(runToTheEnd(window));
        const auto history = window.capture().history();
        QVERIFY(history->droppedEvents() > 100'000);
        QVERIFY(window.capture().recall());
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.capture());
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.capture(), *view), kPatience);
        takePicture(window, "pastlook-run");
    }

    void withoutARecordingItIsSaid()
    {
        QSettings().setValue(QStringLiteral("capture/record"), false);
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        QVERIFY(runToTheEnd(window));
        QVERIFY(window.capture().history()->droppedEvents() > 100'000);
        QVERIFY(!window.capture().recall());
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.capture());
        QVERIFY(!isShown(window.capture(), *view));
        takePicture(window, "pastlook-none");
    }

private:
    std::optional<QTemporaryDir> m_cache;
    gui::Sandbox m_sandbox;
};

QTEST_MAIN(TestPastLook)
#include "tst_pastlook.moc"
