// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sinks get batches without events while nothing happens, so that their time goes on.
#include "core/base/monotonic.h"
#include "tests/core/harvestthread/harvestcapture.h"

#include <QLocalSocket>

using namespace harvestcapture;

namespace {

/// Waits until the time of the stream stands still.
bool stands(const Capture &c)
{
    std::uint64_t latest = 0;
    for (int i = 0; i < 40 && (latest == 0 || c.sink->streamSums().now != latest); ++i) {
        latest = c.sink->streamSums().now;
        QTest::qWait(700);
    }
    return latest != 0 && c.sink->streamSums().now == latest;
}

}  // namespace

class HarvestTimeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timePassesForIdleSinks()
    {
        Capture c;
        QVERIFY(c.start());
        QTRY_VERIFY(c.sink->batches() > 3);
        const std::uint64_t before = c.sink->streamSums().now;
        QTRY_VERIFY(c.sink->streamSums().now > before);
        QCOMPARE(c.sink->streamSums().broken, std::uint64_t{0});
    }

    /// Files are flushed, and frames compared, once the time has passed. So it is told soon after an event, however
    /// long the heartbeat is.
    void theTimeIsToldSoonAfterNews()
    {
        Capture c;
        c.heartbeat = std::chrono::hours(1);
        QVERIFY(c.start());
        QLocalSocket connection;  // without one, the engine looks every 250 ms
        connection.connectToServer(qt(c.socketPath));
        QVERIFY(stands(c));
        Writer writer = c.born(Style::Ours, 1);
        writer.write();
        connection.write("w");
        QTRY_COMPARE(c.sink->streamSums().captured, std::uint64_t{1});
        const std::uint64_t event = c.sink->streamSums().now;
        QTRY_VERIFY(c.sink->streamSums().now > event + 1'000'000'000);
    }

    /// Later, the stream stays where it was, unless somebody asks, or the capture ends.
    void theTimeIsToldOnRequest()
    {
        Capture c;
        c.heartbeat = std::chrono::hours(1);
        QVERIFY(c.start());
        QLocalSocket connection;  // without one, the engine looks every 250 ms
        connection.connectToServer(qt(c.socketPath));
        QVERIFY(stands(c));
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t asked = ct::monotonicNow();
            c.thread->requestTime();
            QTRY_VERIFY(c.sink->streamSums().now >= asked);
        }
        QVERIFY(stands(c));
        const std::uint64_t ended = ct::monotonicNow();
        c.thread->requestEnd();
        QVERIFY(c.thread->wait(10'000));
        QVERIFY(c.sink->streamSums().now >= ended);
    }
};

CT_QT_SUITE(HarvestTimeTest)
#include "tst_harvesttime.moc"
