// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The reader runs one machine instruction at a time, and between two of them a writer stores into the station. Every
// event is genuine, and captured + lost = emitted, wherever the writer starts and however far it gets.
#include "core/protocol/fullstationreader.h"
#include "tests/support/check.h"
#include "tests/support/singlestep.h"
#include "tests/support/writers.h"

#include <memory>
#include <utility>
#include <vector>

using corotracer::StationData;
using ct::StationCursor;
using ct::StationDialect;
using ct::StationFault;
using ct::StationReading;
using writers::Style;

namespace {

constexpr std::uint64_t kKey = 5;
constexpr std::uint64_t kSlots = corotracer::kSlotsPerStation;
/// More than the number of instructions of any code here.
constexpr std::uint64_t kMaxSteps = 100'000;
/// The writer starts after every instruction. Unoptimised code has many times as many, and each visit steps through all
/// earlier ones. There, the writer starts after every seventh.
#ifdef __OPTIMIZE__
constexpr std::uint64_t kStride = 1;
#else
constexpr std::uint64_t kStride = 7;
#endif

/// A writer that can stop after each of its stores.
class StoreByStore {
public:
    StoreByStore(StationData &station, Style style)
        : m_station(&station), m_isMonotonic(style == Style::Monotonic), m_next(m_isMonotonic ? 1 : 0)
    {
    }

    std::uint64_t storesPerEvent() const { return m_isMonotonic ? 5 : 6; }
    bool isInEvent() const { return m_store != 0; }
    std::uint64_t emitted() const { return m_isMonotonic ? m_next - 1 : m_next; }

    void store()
    {
        corotracer::Epoch &epoch = m_station->slots[m_next % kSlots];
        // Without an odd phase, the monotonic dialect starts with the payload.
        switch (m_store + (m_isMonotonic ? 1 : 0)) {
        case 0: epoch.seq.store(m_next / kSlots * 2 + 1, std::memory_order_relaxed); break;
        case 1: epoch.addr.store(writers::addrOf(kKey, m_next), std::memory_order_release); break;
        case 2: epoch.tid.store(writers::tidOf(kKey, m_next), std::memory_order_release); break;
        case 3: epoch.timestamp.store(writers::tsOf(m_next), std::memory_order_release); break;
        case 4: epoch.is_active.store(writers::activeOf(m_next) ? 1 : 0, std::memory_order_release); break;
        default:
            epoch.seq.store(m_isMonotonic ? m_next : m_next / kSlots * 2 + 2, std::memory_order_seq_cst);
            m_store = 0;
            ++m_next;
            return;
        }
        ++m_store;
    }
    void stores(std::uint64_t count)
    {
        for (std::uint64_t i = 0; i < count; ++i)
            store();
    }
    void events(std::uint64_t count) { stores(count * storesPerEvent()); }
    void finishEvent()
    {
        while (isInEvent())
            store();
    }

private:
    StationData *m_station;
    bool m_isMonotonic;
    std::uint64_t m_next;       ///< number of the event that is written now or next
    std::uint64_t m_store = 0;  ///< stores of that event so far
};

/// A station, its writer, and the sums of its reader.
struct Fixture {
    explicit Fixture(Style style) : station(std::make_unique<StationData>()), writer(*station, style)
    {
        writers::Writer(*station, style, kKey).create();
        cursor = ct::openStation(*station, false);
    }

    void book()
    {
        for (std::uint32_t i = 0; i < reading.lossCount; ++i)
            lost += reading.losses[i].count;
        for (std::uint32_t i = 0; i < reading.eventCount; ++i) {
            torn += !writers::isGenuine(reading.events[i], kKey);
            inversions += captured != 0 && reading.events[i].n <= lastN;
            lastN = reading.events[i].n;
            ++captured;
        }
    }
    void readAll()
    {
        do {
            ct::readStation(*station, cursor, reading);
            book();
        } while (!reading.empty());
    }

    std::unique_ptr<StationData> station;
    StoreByStore writer;
    StationCursor cursor;
    StationReading reading;
    std::uint64_t captured = 0, lost = 0, lastN = 0, torn = 0, inversions = 0;
};

/// Disturbance of a reader by a writer.
struct Disturbance {
    std::uint64_t first = 1;   ///< number of the reader's first disturbed instruction
    std::uint64_t every = 0;   ///< instructions between two disturbances; 0 = only one
    std::uint64_t stores = 1;  ///< stores per disturbance
};

/// Runs code() with the disturbance. Returns whether the writer stored anything.
template <class Code>
bool disturbed(Fixture &f, const Disturbance &how, Code code)
{
    bool wasDisturbed = false;
    const std::uint64_t steps = singlestep::run(code, [&](std::uint64_t done) {
        if (done >= how.first && (how.every == 0 || (done - how.first) % how.every == 0)) {
            f.writer.stores(how.stores);
            wasDisturbed = true;
        }
        return done < kMaxSteps && !(wasDisturbed && how.every == 0);
    });
    CHECK(steps < kMaxSteps);
    return wasDisturbed;
}

/// Makes a visit with the disturbance, then reads the rest undisturbed. Returns whether the writer stored anything.
bool visit(Fixture &f, const Disturbance &how)
{
    const bool wasDisturbed = disturbed(f, how, [&f] { ct::readStation(*f.station, f.cursor, f.reading); });
    f.book();
    f.writer.finishEvent();
    f.readAll();
    CHECK_EQUAL(f.torn, 0u);
    CHECK_EQUAL(f.inversions, 0u);
    CHECK_EQUAL(f.captured + f.lost, f.writer.emitted());
    CHECK(f.cursor.fault == StationFault::None);
    return wasDisturbed;
}

/// `known`: events that the reader has already; `unread`: events after these; `begun`: stores of the next event.
struct Start {
    std::uint64_t known = 0, unread = 0, begun = 0;
};
std::unique_ptr<Fixture> fixtureAt(Style style, const Start &start)
{
    auto f = std::make_unique<Fixture>(style);
    f->writer.events(start.known);
    f->readAll();
    f->writer.events(start.unread);
    f->writer.stores(start.begun);
    return f;
}

/// Numbers of consecutive stores: one; up to the newest event; into it; over all of it. Each instruction takes
/// microseconds, so there are few variants.
std::vector<std::uint64_t> bursts(Style style)
{
    const std::uint64_t event = style == Style::Monotonic ? 5 : 6;
    const std::uint64_t others = (kSlots - 1) * event;
    return {1, others, others + 1, others + 3, others + event};
}

/// The writer makes a burst of stores after the first instruction of a visit, then after the second, and so on.
void checkReadsDuringOneBurst(Style style, const Start &start)
{
    for (const std::uint64_t stores : bursts(style)) {
        bool wasDisturbed = true;
        for (std::uint64_t first = 1; wasDisturbed; first += kStride) {
            const auto f = fixtureAt(style, start);
            wasDisturbed = visit(*f, {.first = first, .stores = stores});
        }
    }
}

/// The writer makes a few stores after every few instructions, throughout the visit.
void checkReadsDuringWrites(Style style)
{
    for (const auto &[every, stores] : {std::pair{1, 1}, {5, 7}, {7, 23}}) {
        const Disturbance how{.every = static_cast<std::uint64_t>(every), .stores = static_cast<std::uint64_t>(stores)};
        CHECK(visit(*fixtureAt(style, {.unread = 3}), how));
        CHECK(visit(*fixtureAt(style, {.known = 20, .unread = 3, .begun = 3}), how));
    }
}

}  // namespace

CT_CASE(everyInstructionIsStepped)
{
    int calls = 0;
    volatile int value = 0;
    const std::uint64_t steps = singlestep::run([&value] { value = value + 1; },
                                                [&calls](std::uint64_t) {
                                                    ++calls;
                                                    return true;
                                                });
    CHECK_EQUAL(value, 1);
    CHECK(steps >= 3);
    CHECK_EQUAL(steps, static_cast<std::uint64_t>(calls));
    CHECK_EQUAL(singlestep::run([&value] { value = value + 1; }, [](std::uint64_t) { return false; }), 1u);
    CHECK_EQUAL(value, 2);
}

CT_CASE(readsDuringOneBurstOfTheProbe)
{
    checkReadsDuringOneBurst(Style::Ours, {.known = 20, .unread = 1});
}
CT_CASE(readsDuringOneBurstOfAMonotonicWriter)
{
    checkReadsDuringOneBurst(Style::Monotonic, {.known = 20, .unread = 1});
}

/// Slots 7 to 1 are empty when they are read. Slot 0 then has a seq that is valid in both dialects: 8.
CT_CASE(aFastWriterIsNotMistakenForMonotonic)
{
    bool wasDisturbed = true;
    for (std::uint64_t first = 1; wasDisturbed; first += kStride) {
        const auto f = std::make_unique<Fixture>(Style::OldSdk);
        wasDisturbed = visit(*f, {.first = first, .stores = (3 * kSlots + 1) * f->writer.storesPerEvent()});
        CHECK(!wasDisturbed || f->cursor.dialect == StationDialect::Seqlock);
    }
}

CT_CASE(readsWhileTheOldSdkWrites)
{
    checkReadsDuringWrites(Style::OldSdk);
}
CT_CASE(readsWhileTheProbeWrites)
{
    checkReadsDuringWrites(Style::Ours);
}
CT_CASE(readsWhileAMonotonicWriterWrites)
{
    checkReadsDuringWrites(Style::Monotonic);
}

/// One writer that laps the check is never judged to be two.
CT_CASE(oneWriterIsNeverFlaggedAsTwo)
{
    bool wasDisturbed = true;
    for (std::uint64_t first = 1; wasDisturbed; first += kStride) {
        const auto f = fixtureAt(Style::OldSdk, {.known = 20});
        ct::WriterCheck verdict{};
        wasDisturbed =
            disturbed(*f, {.first = first, .stores = 50}, [&] { verdict = ct::checkWriters(*f->station, f->cursor); });
        CHECK(verdict != ct::WriterCheck::Two);
    }
}

/// A flagged station: captured events are whole, and every store is counted once.
CT_CASE(eventsOfAFlaggedStationAreWhole)
{
    bool wasDisturbed = true;
    for (std::uint64_t first = 1; wasDisturbed; first += kStride) {
        const auto f = fixtureAt(Style::OldSdk, {.known = 20, .unread = 2, .begun = 3});
        f->cursor.fault = StationFault::TwoWriters;
        ct::FaultyCounts counts = ct::openFaulty(f->cursor);
        const ct::StationSeqs seqs = ct::readSeqs(*f->station);
        wasDisturbed = disturbed(*f, {.first = first, .stores = 50},
                                 [&] { ct::readFaulty(*f->station, seqs, f->cursor, counts, f->reading); });
        f->book();
        f->writer.finishEvent();
        ct::readFaulty(*f->station, ct::readSeqs(*f->station), f->cursor, counts, f->reading);
        f->book();
        CHECK_EQUAL(f->torn, 0u);
        CHECK_EQUAL(f->inversions, 0u);
        CHECK_EQUAL(f->captured + f->lost, f->writer.emitted());
    }
}
