// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The end of a capture while its target continues. Lanes are overwritten during the drain, and the sums of each
// coroutine are complete nevertheless.
#include "tests/support/lanecapture.h"

#include <atomic>

using namespace lanecapture;

namespace {

constexpr std::uint32_t kRecords = 65'536;

/// Five hundred coroutines that share one lane in overwrite mode.
class Crowd {
public:
    static constexpr std::uint64_t kSize = 500;

    explicit Crowd(const Process &process, Lane &lane) : m_process(process), m_lane(lane)
    {
        for (std::uint64_t key = 1; key <= kSize; ++key)
            m_all.push_back(*Coroutine::create(m_process, m_lane, key, key));
    }
    /// Publishes `events` events, one coroutine after the other.
    void write(std::uint64_t events)
    {
        for (std::uint64_t i = 0; i < events; ++i)
            m_all[m_next++ % kSize].step(m_lane);
        m_emitted += events;
    }
    /// Writes more than the lane has room for.
    void lap() { write(kRecords + kRecords / 8); }
    /// Ends all coroutines, and starts others in their compact stations.
    void replace()
    {
        for (Coroutine &one : m_all) {
            one.destroy(m_lane, writers::tsOf(one.events()));
            m_ended.push_back(one);
            one = *Coroutine::create(m_process, m_lane, one.key() + kSize, writers::tsOf(one.events()));
        }
    }
    std::uint64_t emitted() const { return m_emitted; }
    const std::vector<Coroutine> &ended() const { return m_ended; }

private:
    const Process &m_process;
    Lane &m_lane;
    std::vector<Coroutine> m_all, m_ended;
    std::size_t m_next = 0;
    std::atomic<std::uint64_t> m_emitted{0};
};

struct OverwriteCapture : Capture {
    explicit OverwriteCapture(std::uint32_t laneRecords = kRecords) : Capture(4096, laneRecords, std::uint64_t{8} << 20)
    {
        setOverwriteMode();
        restart();
    }
    /// Attaches a new engine that discovers all coroutines.
    void come()
    {
        loop.emplace(*region, isAlive());
        streamSums = {};
        scanAll(true);
    }
    std::uint64_t total() const
    {
        const ct::Accounting sums = loop->accounting();
        return sums.captured + sums.lost + sums.missedBeforeAttach;
    }
};

void checkUnchanged(const ct::Accounting &sums, const ct::Accounting &before)
{
    CHECK_EQUAL(sums.captured, before.captured);
    CHECK_EQUAL(sums.lost, before.lost);
    CHECK_EQUAL(sums.missedBeforeAttach, before.missedBeforeAttach);
    CHECK_EQUAL(sums.coroutines, before.coroutines);
    CHECK_EQUAL(sums.coroutinesMissed, before.coroutinesMissed);
}

}  // namespace

/// The lane laps before each part of the drain, so the last records of all coroutines are overwritten.
CT_CASE(lossesAtTheEndBelongToTheirCoroutines)
{
    OverwriteCapture c;
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1, kRecords);
    Crowd crowd(process, lane);
    for (int visit = 0; visit < 3; ++visit) {
        crowd.write(5000);
        c.come();
        const std::uint64_t least = crowd.emitted();
        c.end([&] { crowd.lap(); });
        CHECK_EQUAL(c.loop->accounting().lostWithoutCoroutine, 0u);
        CHECK_EQUAL(c.loop->accounting().missedWithoutCoroutine, 0u);
        CHECK_EQUAL(c.loop->accounting().coroutinesMissed, 0u);
        CHECK(c.total() > least && c.total() <= crowd.emitted());
        CHECK(c.streamSums.lost > 0);
        for (const StreamSums::One &one : c.streamSums.coroutines)
            CHECK(one.sum() > least / Crowd::kSize);
    }
}

/// Coroutines die during the drain, and others use their compact stations. The number of their events follows from
/// events_before.
CT_CASE(overwrittenCoroutinesHaveTheirEventCounts)
{
    bool everInTime = false;
    for (int when = 1; when <= 4; ++when) {
        OverwriteCapture c;
        const Process process = c.process(5);
        Lane lane = *process.claimLane(1, kRecords);
        Crowd crowd(process, lane);
        crowd.write(5000);
        c.come();
        int part = 0;
        c.end([&] {
            crowd.lap();
            if (++part == when) {
                crowd.replace();
                crowd.lap();
            }
        });
        REQUIRE(c.streamSums.coroutines.size() >= Crowd::kSize);
        // True if all had died when the end was decided.
        const ct::Accounting sums = c.loop->accounting();
        const bool inTime = sums.coroutines + sums.coroutinesMissed == 2 * Crowd::kSize;
        everInTime = everInTime || inTime;
        for (const Coroutine &one : inTime ? crowd.ended() : std::vector<Coroutine>())
            CHECK_EQUAL(c.streamSums.byKey(one.key())->sum(), one.events());
        CHECK(c.total() <= crowd.emitted());
    }
    CHECK(everInTime);
}

/// The end comes before the engine has settled what was there when it attached.
CT_CASE(eventsOverwrittenBeforeAttachAreCountedOnce)
{
    OverwriteCapture c;
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1, kRecords);
    Crowd crowd(process, lane);
    for (int visit = 0; visit < 6; ++visit) {
        crowd.write(30'000);
        c.loop.emplace(*c.region, c.isAlive());
        c.streamSums = {};
        for (int pass = 0; pass < 4 * visit; ++pass) {
            crowd.lap();
            if (visit == 3 && pass == 5)
                crowd.replace();
            c.pass(pass % 4 == 1);
        }
        c.scanAll(true);
        c.checkSums();
        CHECK_EQUAL(c.total(), crowd.emitted());
        crowd.lap();
        c.end();
        CHECK_EQUAL(c.total(), crowd.emitted());
    }
}

namespace {

/// A thread on which a crowd writes all the time.
class Busy {
public:
    explicit Busy(Crowd &crowd)
        : m_thread([this, &crowd] {
              while (!m_stop.load()) {
                  crowd.write(500);
                  m_rounds.fetch_add(1);
              }
          })
    {
    }
    ~Busy()
    {
        m_stop.store(true);
        m_thread.join();
    }
    void wait() const
    {
        for (const std::uint64_t rounds = m_rounds.load(); m_rounds.load() < rounds + 20;)
            std::this_thread::yield();
    }

private:
    std::atomic<bool> m_stop{false};
    std::atomic<std::uint64_t> m_rounds{0};
    std::thread m_thread;
};

}  // namespace

/// Forty engines attach and end while the lane, of the smallest size, laps all the time.
CT_CASE(sumsAreCompleteWhileALaneLaps)
{
    OverwriteCapture c(corotracer::kLaneRecordsMin);
    const Process process = c.process(5);
    Lane lane = *process.claimLane(1, corotracer::kLaneRecordsMin);
    Crowd crowd(process, lane);
    const Busy busy(crowd);
    for (int visit = 0; visit < 40; ++visit) {
        c.loop.emplace(*c.region, c.isAlive());
        c.streamSums = {};
        for (int pass = 0; pass < visit % 4 * 10; ++pass)
            c.pass(pass == 10);
        busy.wait();
        const std::uint64_t least = crowd.emitted();
        c.end();
        CHECK_EQUAL(c.loop->accounting().lostWithoutCoroutine, 0u);
        CHECK_EQUAL(c.loop->accounting().missedWithoutCoroutine, 0u);
        CHECK(c.total() >= least && c.total() <= crowd.emitted() + 500);
        for (const StreamSums::One &one : c.streamSums.coroutines)
            CHECK(one.sum() >= one.next);
    }
}

/// The target continues after the end. Nothing of that is counted.
CT_CASE(aSecondFinalDrainChangesNothing)
{
    for (const bool overwrites : {false, true}) {
        Capture c(4096, kRecords, std::uint64_t{8} << 20);
        if (overwrites) {
            c.setOverwriteMode();
            c.restart();
        }
        const Process process = c.process(5);
        Lane lane = *process.claimLane(1, kRecords);
        Crowd crowd(process, lane);
        crowd.write(5000);
        c.scanAll(true);
        c.end([&] { crowd.write(7000); });
        const ct::Accounting before = c.loop->accounting();
        for (int again = 0; again < 3; ++again) {
            crowd.lap();
            crowd.replace();
            c.batch.clear();
            CHECK(c.loop->finalDrain(c.batch));
            CHECK(c.batch.empty());
            checkUnchanged(c.loop->accounting(), before);
        }
        c.checkSums();
    }
}

/// The lanes are drained, and the full stations have more events than fit into one batch.
CT_CASE(sumsAgreeIfFullStationsNeedSeveralBatches)
{
    constexpr std::uint32_t kStations = ct::StationQueue::kMostInBatch / corotracer::kSlotsPerStation + 100;
    ct::RegionSpec spec;
    const regions::TempDir dir;
    spec.path = dir.file("r.shm");
    spec.stations = kStations;
    spec.lanePoolBytes = std::uint64_t{8} << 20;
    spec.stationsAtStart = true;
    auto created = ct::Region::create(spec);
    REQUIRE(created);
    created->writableHeader()->extension.lane_mode = corotracer::kLanesOverwrite;
    const std::string path = created->path();
    {
        const ct::Region closed = std::move(*created);
    }
    auto opened = ct::Region::open(path);
    REQUIRE(opened);
    corotracer::GlobalHeader &header = *opened->writableHeader();
    const Process process(header, 5, 1);
    Lane lane = *process.claimLane(1, kRecords);
    Crowd crowd(process, lane);
    for (std::uint32_t i = 0; i < kStations; ++i) {
        corotracer::StationData *const station = writers::allocateFullStation(header);
        REQUIRE(station);
        writers::Writer writer(*station, writers::Style::OldSdk, i);
        writer.create();
        for (int n = 0; n < 8; ++n)
            writer.write();
    }
    HarvestLoop loop(*opened, [](std::uint32_t, std::uint64_t) { return true; });
    ct::Batch batch;
    std::uint64_t captured = 0;
    int parts = 0;
    for (bool done = false; !done; ++parts) {
        crowd.lap();
        batch.clear();
        done = loop.finalDrain(batch);
        captured += batch.transitions.size();
        for (const ct::Loss &loss : batch.losses)
            captured += loss.count;
    }
    CHECK(parts > 2);
    const ct::Accounting sums = loop.accounting();
    CHECK_EQUAL(captured, sums.captured + sums.lost + sums.missedBeforeAttach);
    CHECK_EQUAL(sums.lostWithoutCoroutine + sums.missedWithoutCoroutine, 0u);
}
