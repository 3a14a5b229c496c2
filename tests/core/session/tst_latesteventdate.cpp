// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A dead process left only times of a monotonic clock, so the session reports the date of the latest event.
#include "core/region/region.h"
#include "core/session/session.h"
#include "tests/support/qtsuite.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <ctime>

using namespace ct;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
using ct::test::kPatienceMs;
/// 2023-11-14 22:13:20 UTC
constexpr std::uint64_t kThen = 1'700'000'000 * kSecond;

/// Leaves a region with one station: born at 5 s, latest event at 100 s. Its clock showed `created` ns when the region
/// was made.
std::string leaveRegion(const QTemporaryDir &directory, std::uint64_t created, bool anyEvent)
{
    RegionSpec spec;
    spec.path = directory.filePath(QStringLiteral("left.shm")).toStdString();
    spec.stations = 64;
    spec.lanes = false;
    Result<Region> region = Region::create(spec);
    if (!region)
        return {};
    corotracer::GlobalHeader &header = *region->writableHeader();
    header.extension.created_monotonic_ns = created;
    header.extension.created_realtime_ns = kThen;
    if (anyEvent) {
        header.allocated_count.store(1);
        corotracer::StationData &station = *region->writableStation(0);
        station.header.probe_id.store(7);
        station.header.birth_ts.store(5 * kSecond);
        station.slots[0].timestamp.store(100 * kSecond);
        station.slots[0].seq.store(2);
    }
    return spec.path;
}

QStringList noticesOf(const std::string &path)
{
    Session session;
    QSignalSpy ended(&session, &Session::ended);
    if (!session.start({AttachRequest{path}, {}}) || !session.isPostMortem() ||
        (ended.isEmpty() && !ended.wait(kPatienceMs)))
        return {};
    return session.notices();
}

}  // namespace

class TestLatestEventDate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        qputenv("TZ", "UTC");
        tzset();
    }

    void reportsTheDateOfTheLatestEvent()
    {
        const QTemporaryDir directory;
        const QStringList notices = noticesOf(leaveRegion(directory, 40 * kSecond, true));
        const QStringList dates = notices.filter(QStringLiteral("latest event"));
        QCOMPARE(dates.size(), 1);
        QVERIFY2(dates.front().contains(QLatin1String("2023-11-14 22:14:20 UTC")), qPrintable(dates.front()));
    }

    void reportsNoDateWithoutEvents()
    {
        const QTemporaryDir directory;
        const QStringList notices = noticesOf(leaveRegion(directory, 40 * kSecond, false));
        QVERIFY(!notices.isEmpty());
        QVERIFY(notices.filter(QStringLiteral("latest event")).isEmpty());
    }
};

CT_QT_SUITE(TestLatestEventDate)
#include "tst_latesteventdate.moc"
