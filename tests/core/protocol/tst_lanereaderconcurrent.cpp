// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A producer and a concurrent reader. Also for thread sanitizer.
#include "core/protocol/lanereader.h"
#include "tests/support/check.h"
#include "tests/support/lanewriter.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

using lanewriter::Lane;
using lanewriter::LooseRing;

namespace {

constexpr std::uint64_t kIdentity = lanewriter::identityOf(3, 1);
constexpr std::uint64_t kKey = 5;
constexpr std::uint64_t kRecords = 2'000'000;

struct Producer {
    std::uint64_t accepted = 0;
    std::atomic<bool> done{false};
    std::uint64_t shrinksAt = ~std::uint64_t{0};  ///< position at which the lane shrinks

    void run(Lane lane)
    {
        for (std::uint64_t n = 0; n < kRecords; ++n) {
            if (lane.position() == shrinksAt)
                lane.shrink();
            accepted += lane.put(lanewriter::genuineRecord(kIdentity, kKey, n));
        }
        done.store(true, std::memory_order_release);
    }
};

struct Reader {
    std::uint64_t position = 0, count = 0, skipped = 0, drops = 0, wrong = 0;
    std::uint64_t next = 0;
    std::vector<ct::RecordCopy> copies = std::vector<ct::RecordCopy>(700);

    /// Returns false if there is nothing new.
    bool read(const lanewriter::Ring &ring)
    {
        const std::uint64_t end = ct::committedEnd(ring.view(), position);
        const ct::LaneReading reading = ct::readLane(ring.view(), position, copies);
        wrong += reading.next < position;
        // Everything committed before is read or was overwritten. There are two exceptions: a full buffer, and a skip
        // that is left to the next reading.
        const bool leapsNext = ring.overwrite && reading.count != 0;
        wrong += reading.next < end && reading.count < copies.size() && reading.skipped == 0 && !leapsNext;
        for (std::size_t i = 0; i < reading.count; ++i)
            judge(copies[i]);
        count += reading.count;
        skipped += reading.skipped;
        const bool any = reading.next != position;
        position = reading.next;
        ring.header->tail.store(position, std::memory_order_release);  // partner: the producer's acquire load
        return any;
    }
    void judge(const ct::RecordCopy &copy)
    {
        if (copy.kind() == corotracer::kRecordDrops) {
            drops += copy.identity;
            next += copy.identity;
            return;
        }
        wrong += copy.identity != kIdentity || !lanewriter::isGenuine(copy, kKey) || copy.n() < next;
        next = copy.n() + 1;
    }
};

void runBoth(LooseRing &memory, Producer &producer, Reader &reader)
{
    std::thread thread([&] { producer.run(Lane(memory.ring(), 0)); });
    while (!producer.done.load(std::memory_order_acquire))
        reader.read(memory.ring());
    thread.join();
    while (reader.read(memory.ring())) {
    }
}

/// The numbers of a lane's blocks, in a page of their own. When armed, the next access to the page runs an action
/// first, on the same thread: a producer that runs while the reader is in the middle of a call.
class NumbersPage {
public:
    NumbersPage() : m_page(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        current = this;
        struct sigaction action {};
        action.sa_handler = [](int) { current->act(); };
        ::sigaction(SIGSEGV, &action, &m_before);
    }
    ~NumbersPage()
    {
        ::sigaction(SIGSEGV, &m_before, nullptr);
        ::munmap(m_page, kBytes);
    }
    NumbersPage(const NumbersPage &) = delete;
    NumbersPage &operator=(const NumbersPage &) = delete;

    void arm(std::function<void()> action)
    {
        m_action = std::move(action);
        ::mprotect(m_page, kBytes, PROT_NONE);
    }
    std::atomic<std::uint64_t> *numbers() const { return static_cast<std::atomic<std::uint64_t> *>(m_page); }

private:
    static constexpr std::size_t kBytes = 4096;

    void act()
    {
        if (!m_action)
            std::abort();  // another fault
        ::mprotect(m_page, kBytes, PROT_READ | PROT_WRITE);
        std::exchange(m_action, nullptr)();
    }

    static inline NumbersPage *current = nullptr;
    void *m_page;
    struct sigaction m_before {};
    std::function<void()> m_action;
};

}  // namespace

CT_CASE(everyRecordIsReadOrReported)
{
    LooseRing memory(corotracer::kLaneRecordsMin, false);
    Producer producer;
    Reader reader;
    runBoth(memory, producer, reader);
    CHECK_EQUAL(reader.wrong, 0u);
    CHECK_EQUAL(reader.skipped, 0u);
    const std::uint64_t dropped = memory.ring().header->dropped.load();
    CHECK_EQUAL(producer.accepted + dropped, kRecords);
    // A drop record reports every drop, except for those at the end, behind the last record.
    CHECK(reader.drops <= dropped);
    CHECK_EQUAL(reader.next + (dropped - reader.drops), kRecords);
}

CT_CASE(anOverwritingProducerIsFollowed)
{
    for (const std::uint32_t capacity : {corotracer::kLaneRecordsMin, 8 * corotracer::kLaneRecordsMin}) {
        LooseRing memory(capacity, true);
        Producer producer;
        Reader reader;
        runBoth(memory, producer, reader);
        CHECK_EQUAL(reader.wrong, 0u);
        CHECK_EQUAL(producer.accepted, kRecords);
        CHECK_EQUAL(reader.count + reader.skipped, kRecords);
        CHECK_EQUAL(reader.next, kRecords);
        CHECK(reader.count >= capacity - corotracer::kLaneBlock);
    }
}

/// The lane shrinks at any position of the reader, and whatever it has read before.
CT_CASE(aLaneThatGetsShorterIsFollowed)
{
    for (const bool overwrite : {false, true}) {
        for (const std::uint32_t blocks : {2U, 3U, 7U}) {
            LooseRing memory(8 * corotracer::kLaneBlock, overwrite);
            memory.ring().header->committed.store(blocks * corotracer::kLaneBlock);
            Producer producer;
            producer.shrinksAt = blocks * corotracer::kLaneBlock;
            Reader reader;
            runBoth(memory, producer, reader);
            CHECK_EQUAL(reader.wrong, 0u);
            CHECK_EQUAL(memory.ring().header->records.load(), blocks * corotracer::kLaneBlock);
            const std::uint64_t dropped = memory.ring().header->dropped.load();
            CHECK_EQUAL(producer.accepted + dropped, kRecords);
            CHECK_EQUAL(reader.next + (dropped - reader.drops), kRecords);
            if (overwrite)
                CHECK_EQUAL(reader.count + reader.skipped, kRecords);
            else
                CHECK_EQUAL(reader.skipped, 0u);
        }
    }
}

/// A lane in overwrite mode with eight blocks of address space and memory for two of them.
struct CrampedLane {
    NumbersPage page;
    LooseRing memory{8 * corotracer::kLaneBlock, true};
    lanewriter::Ring ring = memory.ring();
    std::uint64_t written = 0;

    CrampedLane()
    {
        ring.blockNumbers = page.numbers();
        ring.header->committed.store(2 * corotracer::kLaneBlock);
    }
    void put(Lane &lane, std::uint64_t records)
    {
        for (const std::uint64_t end = written + records; written != end; ++written) {
            if (written == ring.header->committed.load())
                lane.shrink();
            lane.put(lanewriter::genuineRecord(kIdentity, kKey, written));
        }
    }
};

/// The producer overwrites the records that are due, in the lane that it has shrunk since the reader's call began.
CT_CASE(aCallFindsTheRecordsOfAShrinkingLane)
{
    constexpr std::uint64_t kUnread = 1500;
    constexpr std::uint64_t kLaps = 3 * 2 * corotracer::kLaneBlock;
    const auto whileItRuns = [](auto call) {
        CrampedLane cramped;
        Lane lane(cramped.ring, 0);
        cramped.put(lane, 1600);
        cramped.page.arm([&] { cramped.put(lane, kLaps); });
        call(cramped.ring.view());
        CHECK_EQUAL(cramped.written, 1600 + kLaps);  // the producer ran within the call
    };
    whileItRuns([](const ct::LaneView &view) {
        std::vector<ct::RecordCopy> copies(10);
        const ct::LaneReading reading = ct::readLane(view, kUnread, copies);
        CHECK_EQUAL(reading.count, copies.size());
        CHECK_EQUAL(kUnread + reading.skipped + reading.count, reading.next);
        CHECK_EQUAL(copies.front().n(), reading.next - reading.count);
        CHECK(lanewriter::isGenuine(copies.front(), kKey));
    });
    whileItRuns([](const ct::LaneView &view) { CHECK_EQUAL(ct::committedEnd(view, kUnread), 1600 + kLaps); });
    whileItRuns([](const ct::LaneView &view) {
        const std::uint64_t oldest = ct::oldestPosition(view);
        CHECK(oldest > kLaps - 2 * corotracer::kLaneBlock);
    });
}
