// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runnable coroutines and paused times in the timeline.
#include "tests/support/qtsuite.h"
#include "tests/ui/timeline/timelinesupport.h"
#include "ui/timeline/timelinescene.h"
#include "ui/timeline/timelinetooltip.h"

#include <QImage>

using namespace ct;
using namespace ct::test;

namespace {

/// Three suspended coroutines from 1 s on, of which the second is woken at 7.5 s. Tracing was off from 2 s to 4 s, and
/// the process was stopped from 4.5 s to 5.5 s. The machine was suspended at 6.5 s. The present time is 8 s.
struct Scene {
    TimelineTrace trace;

    Scene()
    {
        const SiteId read = trace.site("Task<int> net::read(int)", "src/net.cpp", 88);
        for (int i = 0; i < 3; ++i) {
            const CoroutineId id = trace.born(kBase);
            trace.resume(id, kBase, 77);
            trace.suspend(id, kBase + kSecond, read);
        }
        trace.pass(kBase + kSecond);
        trace.wake(1, kBase + 7'500 * kMs);
        trace.pass(kBase + 8 * kSecond);
        Batch pauses;
        pauses.notes.switches = {{TimelineTrace::kPid, kBase + 2 * kSecond, false},
                                 {TimelineTrace::kPid, kBase + 4 * kSecond, true}};
        pauses.notes.processSamples = {sample(5'000, 4'500), sample(5'500, 0), sample(6'500, 0)};
        pauses.notes.processSamples.back().machineSuspendedNs = 7200 * kSecond;
        pauses.now = kBase + 8 * kSecond;
        (void)trace.population.consume(pauses);
    }
    static ProcessSample sample(std::uint64_t ms, std::uint64_t stoppedSinceMs)
    {
        ProcessSample row;
        row.pid = TimelineTrace::kPid;
        row.ts = kBase + ms * kMs;
        row.threads = 1;
        row.stoppedSince = stoppedSinceMs == 0 ? 0 : kBase + stoppedSinceMs * kMs;
        return row;
    }
    QString toolTip(CoroutineId id, std::uint64_t ts) const
    {
        const TimelineHit hit{id, timelineTime(ts), 1000, timelineTime(kBase), trace.population.now()};
        return timelineToolTip(trace.population, trace.history, ProcessLives(), nullptr, hit);
    }
};

}  // namespace

class TimelineStatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void paintsWakesAndPauses_data();
    void paintsWakesAndPauses();
    void toolTipsNameWakesAndPauses();
};

void TimelineStatesTest::paintsWakesAndPauses_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TimelineStatesTest::paintsWakesAndPauses()
{
    QFETCH(bool, dark);
    Scene scene;
    const Colors &colors = dark ? darkColors() : lightColors();
    TimelineScene painted;
    painted.setTrace(&scene.trace.population, &scene.trace.history);
    painted.setRows(allRows(scene.trace));
    painted.setSize(QSize(1000, 130), 1);
    painted.sample();
    painted.fit();
    QVERIFY(QTest::qWaitFor(
        [&painted] {
            painted.update();
            return painted.isComplete();
        },
        ct::test::kPatienceMs));
    QImage image(1000, 130, QImage::Format_RGB32);
    QPainter painter(&image);
    painted.paint(painter, colors);
    painter.end();
    const auto pixelAt = [&](int row, std::uint64_t ms) {
        const int x = painted.plot().left() + static_cast<int>(painted.view.columnOf(timelineTime(kBase + ms * kMs)));
        constexpr int kBelowTheText = TimelineScene::kRowHeight - 5;
        return image.pixelColor(x, TimelineScene::kAxisHeight + row * TimelineScene::kRowHeight + kBelowTheText);
    };
    QCOMPARE(pixelAt(1, 7'700), colors.runnable);
    QVERIFY(pixelAt(0, 7'700) != colors.runnable);
    QCOMPARE(pixelAt(1, 1'500), colors.suspended);
    // A wash and a hatch cover pauses.
    for (const std::uint64_t paused : {std::uint64_t{3'000}, std::uint64_t{5'000}}) {
        bool anyState = false;
        for (std::uint64_t ms = paused; ms < paused + 200; ms += 20)
            anyState = anyState || pixelAt(0, ms) == colors.suspended;
        QVERIFY(!anyState);
    }
    QCOMPARE(pixelAt(2, 4'250), colors.suspended);  // between the pauses
    // The line of a suspend is dashed.
    const int x = painted.plot().left() + static_cast<int>(painted.view.columnOf(timelineTime(kBase + 6'500 * kMs)));
    int line = 0;
    for (int y = painted.plot().top(); y < painted.plot().bottom(); ++y)
        line += image.pixelColor(x, y) == colors.textMuted ? 1 : 0;
    QVERIFY2(line > 20, qPrintable(QString::number(line)));
    // Pictures for people: CT_PICTURES names the folder.
    if (qEnvironmentVariableIsSet("CT_PICTURES"))
        image.save(qEnvironmentVariable("CT_PICTURES") + QStringLiteral("/timeline-states-%1.png").arg(dark));
}

void TimelineStatesTest::toolTipsNameWakesAndPauses()
{
    const Scene scene;
    const QString runnable = scene.toolTip(1, kBase + 7'700 * kMs);
    QVERIFY2(runnable.contains(QStringLiteral("Runnable: woken, and not resumed yet")), qPrintable(runnable));
    QVERIFY2(runnable.contains(QStringLiteral("net.cpp:88")), qPrintable(runnable));
    QVERIFY2(runnable.contains(QStringLiteral("a suspension of 6.5")), qPrintable(runnable));
    const QString waited = scene.toolTip(1, kBase + 1'500 * kMs);
    QVERIFY2(waited.contains(QStringLiteral("Suspended")) && !waited.contains(QStringLiteral("so far")),
             qPrintable(waited));
    const QString stopped = scene.toolTip(0, kBase + 5 * kSecond);
    QVERIFY2(stopped.contains(QStringLiteral("The process was stopped")), qPrintable(stopped));
    const QString off = scene.toolTip(0, kBase + 3 * kSecond);
    QVERIFY2(off.contains(QStringLiteral("Tracing was switched off")), qPrintable(off));
    QVERIFY2(!off.contains(QStringLiteral("was stopped")), qPrintable(off));
}

CT_QT_SUITE(TimelineStatesTest)
#include "tst_timelinestates.moc"
