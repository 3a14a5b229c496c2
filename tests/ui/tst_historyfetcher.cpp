// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs that are larger than memory, from files and live: the timeline's events are restored from the recording.
#include "core/playback/historyrestorer.h"
#include "core/recording/text/jsonlwriter.h"
#include "core/recording/write/recordingwriter.h"
#include "core/session/run.h"
#include "models/timelinegeometry.h"
#include "tests/support/qtsuite.h"
#include "tests/ui/guisupport.h"
#include "ui/format/theme.h"
#include "ui/historyfetcher.h"
#include "ui/mainwindow.h"
#include "ui/sampler.h"
#include "ui/timeline/timelineview.h"
#include "ui/widgets/infobar.h"

#include <QScrollBar>

#include <thread>

using namespace ct;

namespace {

using ct::test::kPatienceMs;
constexpr int kKeepMiB = 24;  ///< about 18 MiB for the history, 6 MiB for restored events
constexpr std::uint64_t kBegin = 50'000'000'000;
constexpr std::uint32_t kCoroutines = 40;

/// Writes events of coroutines in turns. Coroutine 3 waits between the events 500,000 and 2,000,000 of the run.
template <class Writer>
void record(const Result<std::shared_ptr<Writer>> &writer, std::uint64_t events, std::uint64_t step = 900)
{
    QVERIFY(writer);
    std::vector<std::uint64_t> next(kCoroutines);
    Batch batch;
    batch.sites.push_back({1, 33, 9, "src/server.cpp", "handleConnection(Connection&)"});
    for (CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back({id, id, 1, 4711, Dialect::Lane, 100 + std::uint64_t{id}, kBegin});
    std::uint64_t ts = kBegin;
    for (std::uint64_t i = 0; i < events; ++i) {
        ts += step + i * 7919 % 200;
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
        if (batch.transitions.size() == 8192 || i + 1 == events) {
            batch.now = ts;
            QVERIFY((*writer)->consume(batch));
            batch.clear();
        }
    }
    QVERIFY((*writer)->finish({}));
}

/// Collects the texts of the timeline about the past. Some of them are visible only for milliseconds.
class Texts {
public:
    explicit Texts(const MainWindow &window)
    {
        const auto *view = window.findChild<TimelineView *>();
        // Called after HistoryFetcher, which connected earlier.
        m_connection =
            QObject::connect(&window.sampler(), &Sampler::ticked, [this, view] { m_said << view->evictedText(); });
    }
    ~Texts() { QObject::disconnect(m_connection); }
    Texts(const Texts &) = delete;
    Texts &operator=(const Texts &) = delete;
    bool have(const char *text) const { return m_said.contains(QString::fromUtf8(text)); }

private:
    QStringList m_said;
    QMetaObject::Connection m_connection;
};

/// Captures a run that is larger than memory, at a rate at which no event is lost.
bool runToTheEnd(MainWindow &window)
{
    LaunchSpec storm;
    storm.argv = {gui::targetPath("ct_storm").toStdString()};
    for (const char *argument : {"--coroutines", "50", "--transitions", "4000000", "--rate", "3000000"})
        storm.argv.emplace_back(argument);
    StartRequest request;
    request.what = storm;
    window.start(request);
    return QTest::qWaitFor([&] { return window.run().state() == RunState::Ended; }, kPatienceMs);
}

bool isShown(const Run &run, const TimelineView &view)
{
    const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(0, view.visibleFrom()));
    return run.history()->isInMemory(from, from + static_cast<std::uint64_t>(view.visibleSpan()));
}

/// Gives the view 200 ms to show the restored events, then saves a picture.
void takePicture(MainWindow &window, const char *name)
{
    if (qEnvironmentVariableIsSet("CT_PICTURES"))
        QTest::qWait(200);
    gui::takePicture(&window, name);
}

/// Shows the beginning of the run, at most a twentieth of it. Retries until the view knows the limits of the run.
void goToTheBeginning(TimelineView *view, const Run &run)
{
    view->setFollowLive(false);
    const auto goesThere = [&] {
        const auto first = static_cast<std::int64_t>(run.history()->firstTs());
        const auto length = static_cast<std::int64_t>(run.history()->lastTs()) - first;
        view->zoomToFit();
        while (view->visibleSpan() > length / 20)
            view->zoomIn();
        QTest::keyClick(view, Qt::Key_Home);
        const auto isLeftOf = [&] { return view->visibleFrom() + view->visibleSpan() <= first; };
        for (int i = 0; i < 100 && isLeftOf(); ++i)  // a birth may be long before the first event
            QTest::keyClick(view, Qt::Key_Right);
        return view->visibleFrom() <= first && !isLeftOf();
    };
    QTRY_VERIFY(goesThere());
}

/// Pans with the keys until `share` of the run is left of the view.
void goTo(TimelineView *view, const Run &run, double share)
{
    const auto first = static_cast<std::int64_t>(run.history()->firstTs());
    const auto length = static_cast<double>(run.history()->lastTs() - run.history()->firstTs());
    while (view->visibleFrom() < first + std::llround(share * length))
        QTest::keyClick(view, Qt::Key_Right);
}

}  // namespace

class TestHistoryFetcher : public QObject {
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

    void restoresTheBeginningOfALargeFile_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void restoresTheBeginningOfALargeFile()
    {
        QFETCH(const bool, dark);
        applyTheme(dark ? Theme::Dark : Theme::Light);
        const QString path = m_cache->filePath(QStringLiteral("large.ctr"));
        MainWindow window;
        openLarge(window, path);
        const auto history = window.run().history();
        QVERIFY(history->evictedEvents() > 1'000'000);
        auto *view = window.findChild<TimelineView *>();
        // The view shows the whole run, which is larger than memory. As many of the latest evicted events are restored
        // as memory has room for.
        view->zoomToFit();
        QTRY_VERIFY_WITH_TIMEOUT(history->restoredVersion() > 0, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!window.run().restorer()->isBusy(), kPatienceMs);
        QVERIFY(!isShown(window.run(), *view));
        QTRY_COMPARE(view->evictedText(), QStringLiteral("Too many events for memory: zoom in to see the rest"));
        takePicture(window, dark ? "history-whole-dark" : "history-whole");
        const Texts texts(window);
        goToTheBeginning(view, window.run());
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.run(), *view), kPatienceMs);
        QTRY_COMPARE(view->evictedText(), QString());
        QVERIFY(texts.have("Reading older events …"));
        QCOMPARE(window.run().restorer()->lostPieces(), 0U);
        takePicture(window, dark ? "history-begin-dark" : "history-begin");
        // The first event of every coroutine is in memory.
        for (CoroutineId id = 0; id < kCoroutines; ++id)
            QVERIFY(history->veryFirst(id) != 0);
    }

    /// Restored events stay in memory. The others cannot be restored, and the view says so.
    void restoredEventsStayWhenTheFileIsTruncated()
    {
        const QString path = m_cache->filePath(QStringLiteral("large.ctr"));
        MainWindow window;
        openLarge(window, path);
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.run());
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.run(), *view), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!window.run().restorer()->isBusy(), kPatienceMs);
        QVERIFY(QFile::resize(path, 1000));
        goTo(view, window.run(), 0.3);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().restorer()->lostPieces() > 0, kPatienceMs);
        QVERIFY(!isShown(window.run(), *view));
        QTRY_COMPARE(view->evictedText(), QStringLiteral("No longer in the recording either"));
        takePicture(window, "history-lost");
        QTest::keyClick(view, Qt::Key_Home);
        QVERIFY(isShown(window.run(), *view));
        QTRY_COMPARE(view->evictedText(), QString());
    }

    void zoomingOutRestoresEarlierEvents_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void zoomingOutRestoresEarlierEvents()
    {
        QFETCH(const bool, dark);
        applyTheme(dark ? Theme::Dark : Theme::Light);
        MainWindow window;
        openLarge(window, m_cache->filePath(QStringLiteral("large.ctr")));
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.run());
        for (int i = 0; i < 3; ++i)
            view->zoomIn();
        // Coroutine 3 waits since one sixth of the run. That was 120,000 events before this part.
        goTo(view, window.run(), 0.207);
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.run(), *view), kPatienceMs);
        QTRY_COMPARE(view->evictedText(), QStringLiteral("Events before this part are not in memory: zoom out"));
        QVERIFY(view->showsEvicted());
        takePicture(window, dark ? "history-before-dark" : "history-before");
        for (int i = 0; i < 3; ++i)
            view->zoomOut();
        QTRY_COMPARE_WITH_TIMEOUT(view->showsEvicted(), false, kPatienceMs);
        QTRY_COMPARE(view->evictedText(), QString());
        takePicture(window, dark ? "history-out-dark" : "history-out");
    }

    void nothingIsRestoredFromJsonl()
    {
        const QString path = m_cache->filePath(QStringLiteral("large.jsonl"));
        record(makeJsonlWriter(path.toStdString()), 1'500'000);
        MainWindow window;
        open(window, path);
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.run());
        QTRY_COMPARE(view->evictedText(),
                     QStringLiteral("No longer in memory, and parts of a JSONL file cannot be read "
                                    "again: use a .ctr recording"));
        takePicture(window, "history-jsonl");
    }

    void restoresTheBeginningOfALargeRun()
    {
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        const Texts texts(window);
        QVERIFY(runToTheEnd(window));
        const auto history = window.run().history();
        QVERIFY(history->evictedEvents() > 100'000);
        QVERIFY(window.run().restorer());
        // While following, the view shows ten seconds.
        QVERIFY(texts.have("Older events are in the recording: stop following to see them"));
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.run());
        QTRY_VERIFY_WITH_TIMEOUT(isShown(window.run(), *view), kPatienceMs);
        takePicture(window, "history-run");
    }

    void reportsEventsThatWereNotRecorded()
    {
        QSettings().setValue(QStringLiteral("capture/record"), false);
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        QVERIFY(runToTheEnd(window));
        QVERIFY(window.run().history()->evictedEvents() > 100'000);
        QVERIFY(!window.run().restorer());
        auto *view = window.findChild<TimelineView *>();
        goToTheBeginning(view, window.run());
        QVERIFY(!isShown(window.run(), *view));
        QTRY_COMPARE(view->evictedText(), QStringLiteral("No longer in memory, and not recorded"));
        takePicture(window, "history-none");
    }

    /// The notice and the title say that only a part was loaded. This part cannot be replayed.
    void aPartlyLoadedFileCannotBeReplayed()
    {
        const QString path = m_cache->filePath(QStringLiteral("large.ctr"));
        record(RecordingWriter::open(path.toStdString()), 3'000'000);
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        const auto *notice = window.findChild<InfoBar *>(QStringLiteral("noticeBar"));
        // Stop as soon as there are events. Try again if the file was loaded to its end by then.
        for (int i = 0; i < 20 && notice->isHidden(); ++i) {
            window.openFile(path);
            while (window.run().accounting().captured == 0 && window.run().state() != RunState::Ended)
                std::this_thread::yield();
            window.findChild<QAction *>(QStringLiteral("actionStop"))->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(!window.windowTitle().contains(QLatin1String("Loading")), kPatienceMs);
        }
        QTRY_VERIFY(notice->isVisible());  // appears with the first coroutines
        QVERIFY2(notice->text().contains(QLatin1String("Loading was stopped: ")), qPrintable(notice->text()));
        QVERIFY(window.windowTitle().contains(QLatin1String("Part of a recording")));
        QVERIFY(window.run().isPart());
        QVERIFY(!window.findChild<QAction *>(QStringLiteral("actionReplay"))->isEnabled());
        QVERIFY(window.run().accounting().captured > 0);
        QVERIFY(window.run().accounting().captured < 2'900'000);
        takePicture(window, "history-stopped");
        // Open it again, and load it to its end.
        open(window, path);
        QVERIFY(notice->isHidden());
        QVERIFY(window.findChild<QAction *>(QStringLiteral("actionReplay"))->isEnabled());
    }

    /// A file that is opened while another one is loading is shown as a whole, too.
    void aFileOpenedDuringLoadingIsShownWhole()
    {
        const QString one = m_cache->filePath(QStringLiteral("one.ctr"));
        const QString two = m_cache->filePath(QStringLiteral("two.ctr"));
        record(RecordingWriter::open(one.toStdString()), 3'000'000);
        record(RecordingWriter::open(two.toStdString()), 3'000'000, 3000);
        MainWindow window;
        window.resize(1500, 900);
        window.show();
        const auto *view = window.findChild<TimelineView *>();
        std::vector<std::int64_t> spans;  // ns; while the second file is loading
        const auto noteSpan = [&] {
            const Run &run = window.run();
            if (run.state() == RunState::Ended || run.history()->firstTs() == 0)
                return;
            if (run.recordingPath() == two.toStdString())
                spans.push_back(view->visibleSpan());
            else if (view->visibleSpan() > 3'000'000'000)
                QMetaObject::invokeMethod(
                    &window, [&window, two] { window.openFile(two); }, Qt::QueuedConnection);
        };
        // Called after HistoryFetcher, which connected earlier.
        const auto connection = QObject::connect(&window.sampler(), &Sampler::ticked, noteSpan);
        window.openFile(one);
        QTRY_VERIFY_WITH_TIMEOUT(window.run().state() == RunState::Ended, kPatienceMs);
        if (window.run().recordingPath() == one.toStdString())
            window.openFile(two);  // the first file was loaded too fast
        QTRY_VERIFY_WITH_TIMEOUT(window.run().state() == RunState::Ended, kPatienceMs);
        QObject::disconnect(connection);
        // Skip the first span: events may have arrived after HistoryFetcher's slot ran.
        for (std::size_t i = 1; i < spans.size(); ++i)
            QVERIFY2(spans[i] > 9'000'000'000, qPrintable(QString::number(spans[i])));
    }

private:
    /// Opens the file and waits until it is loaded to its end.
    void open(MainWindow &window, const QString &path)
    {
        window.resize(1500, 900);
        window.show();
        window.openFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(window.windowTitle().contains(QLatin1String("Recording")), kPatienceMs);
        QVERIFY(window.run().history()->evictedEvents() > 300'000);
    }
    void openLarge(MainWindow &window, const QString &path)
    {
        record(RecordingWriter::open(path.toStdString()), 3'000'000);
        open(window, path);
    }

    std::optional<QTemporaryDir> m_cache;
    gui::Sandbox m_sandbox;
};

CT_QT_SUITE(TestHistoryFetcher)
#include "tst_historyfetcher.moc"
