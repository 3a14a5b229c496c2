// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/write/queuedsink.h"
#include "core/recording/write/transitionpool.h"
#include "tests/support/check.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <sys/resource.h>
#include <thread>

namespace {

constexpr std::uint64_t kSmallBudget = 4ULL << 20;
constexpr std::size_t kChunk = ct::TransitionPool::kCapacity;

/// Logs its input as a list of items. Waits at the gate, and fails on request.
class LoggingSink final : public ct::Sink {
public:
    struct Log {
        std::vector<std::string> items;
        std::vector<std::uint64_t> numbers;  ///< numbers of the transitions
        bool finished = false;
        std::uint64_t captured = 0, notWritten = 0, coroutinesNotWritten = 0;
        std::thread::id consumedOn, destroyedOn;
        std::size_t calls = 0;
        int nice = 0;                       ///< of the writer's thread
        std::atomic<std::uint64_t> now{0};  ///< Batch::now of the latest batch; release by the writer, acquire by tests
    };
    explicit LoggingSink(Log &log) : m_log(log) {}
    ~LoggingSink() override { m_log.destroyedOn = std::this_thread::get_id(); }

    ct::Result<void> consume(const ct::Batch &batch) override
    {
        if (gate.valid())
            gate.wait();
        m_log.consumedOn = std::this_thread::get_id();
        m_log.nice = ::getpriority(PRIO_PROCESS, 0);
        ++m_log.calls;
        if (m_log.calls == failAt)
            return ct::Error{ct::ErrorCode::NoSpace, "no space"};
        for (const ct::Birth &birth : batch.births)
            m_log.items.push_back("birth " + std::to_string(birth.coroutine));
        for (const ct::CoroutineName &name : batch.notes.names)
            m_log.items.push_back("name " + name.name);
        for (const ct::Transition &transition : batch.transitions)
            m_log.numbers.push_back(transition.n);
        if (!batch.transitions.empty())
            m_log.items.push_back("to " + std::to_string(m_log.numbers.size()));
        for (const ct::Death &death : batch.deaths)
            m_log.items.push_back("death " + std::to_string(death.coroutine));
        m_log.now.store(batch.now, std::memory_order_release);
        return {};
    }
    ct::Result<void> finish(const ct::Accounting &sums) override
    {
        m_log.finished = true;
        m_log.captured = sums.captured;
        m_log.notWritten = sums.eventsNotWritten;
        m_log.coroutinesNotWritten = sums.coroutinesNotWritten;
        return failFinish ? ct::Result<void>(ct::Error{ct::ErrorCode::NoSpace, "no end"}) : ct::Result<void>();
    }

    std::shared_future<void> gate;
    std::size_t failAt = 0;
    bool failFinish = false;

private:
    Log &m_log;
};

std::shared_ptr<ct::QueuedSink> queued(std::shared_ptr<ct::Sink> sink, std::uint64_t budget = kSmallBudget,
                                       std::chrono::milliseconds mostWait = ct::QueuedSink::kForEver)
{
    auto made = ct::QueuedSink::make(std::move(sink), budget, mostWait);
    REQUIRE(static_cast<bool>(made));
    return *made;
}

ct::Batch numbered(std::uint64_t first, std::size_t count)
{
    ct::Batch batch;
    for (std::size_t i = 0; i < count; ++i) {
        ct::Transition transition;
        transition.n = first + i;
        batch.transitions.push_back(transition);
    }
    return batch;
}

bool isDense(const std::vector<std::uint64_t> &numbers, std::size_t count)
{
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != i)
            return false;
    return numbers.size() == count;
}

/// A queue in front of a sink that waits until it is opened.
struct Shut {
    explicit Shut(std::uint64_t budget = kSmallBudget, std::chrono::milliseconds mostWait = ct::QueuedSink::kForEver)
    {
        auto loggingSink = std::make_shared<LoggingSink>(log);
        loggingSink->gate = gate.get_future();
        sink = queued(std::move(loggingSink), budget, mostWait);
    }
    void open() { gate.set_value(); }
    /// Feeds `count` batches and waits until all are consumed. Between `fewest` and `most` of them fit before the sink
    /// is opened.
    template <class Make>
    void fill(std::size_t count, Make make, std::size_t fewest, std::size_t most)
    {
        std::atomic<std::size_t> done{0};  // relaxed: only for progress
        std::thread source([&] {
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(static_cast<bool>(sink->consume(make(i))));
                done.store(i + 1, std::memory_order_relaxed);
            }
        });
        while (done.load(std::memory_order_relaxed) < fewest)
            std::this_thread::yield();
        CHECK(done.load(std::memory_order_relaxed) <= most);
        open();
        source.join();
        CHECK(static_cast<bool>(sink->finish({})));
    }

    LoggingSink::Log log;
    std::shared_ptr<ct::QueuedSink> sink;
    // Destroyed first, which opens the gate: a failed test does not hang at the end of the queue.
    std::promise<void> gate;
};

}  // namespace

CT_CASE(theStreamStaysInOrder)
{
    LoggingSink::Log log;
    const auto sink = queued(std::make_shared<LoggingSink>(log));
    std::size_t total = 0;
    for (std::uint32_t id = 0; id < 50; ++id) {
        const std::size_t count = id * id * 40;  // the last ones are larger than a chunk
        ct::Batch batch = numbered(total, count);
        batch.births.push_back({});
        batch.births.back().coroutine = id;
        batch.notes.names.push_back({id, std::to_string(id)});
        batch.deaths.push_back({id, 1});
        CHECK(static_cast<bool>(sink->consume(batch)));
        total += count;
    }
    ct::Accounting sums;
    sums.captured = total;
    CHECK(static_cast<bool>(sink->finish(sums)));
    CHECK(log.finished);
    CHECK_EQUAL(log.captured, total);
    CHECK(isDense(log.numbers, total));
    CHECK_EQUAL(sink->pending(), 0U);
    // Births and names come first, deaths behind the last transition of their batch.
    std::size_t end = 0;
    for (std::uint32_t id = 0; id < 50; ++id) {
        end += std::size_t{id} * id * 40;
        const auto at = std::find(log.items.begin(), log.items.end(), "birth " + std::to_string(id));
        const auto death = std::find(log.items.begin(), log.items.end(), "death " + std::to_string(id));
        REQUIRE(at != log.items.end() && death != log.items.end());
        CHECK_EQUAL(*(at + 1), "name " + std::to_string(id));
        CHECK(at < death);
        if (id > 0)
            CHECK_EQUAL(*(death - 1), "to " + std::to_string(end));
    }
}

/// While nothing happens, the sink still learns how late it is.
CT_CASE(emptyBatchesTellTheTime)
{
    LoggingSink::Log log;
    const auto sink = queued(std::make_shared<LoggingSink>(log));
    for (const std::uint64_t now : {7, 8}) {
        ct::Batch batch;
        batch.now = now;
        // The writer is awakened for the time alone only now and then.
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        do {
            CHECK(static_cast<bool>(sink->consume(batch)));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (log.now.load(std::memory_order_acquire) != now && std::chrono::steady_clock::now() < end);
        CHECK_EQUAL(log.now.load(std::memory_order_acquire), now);
    }
    CHECK(static_cast<bool>(sink->consume(numbered(0, 3))));
    CHECK(static_cast<bool>(sink->finish({})));
    CHECK(isDense(log.numbers, 3));
}

CT_CASE(batchesOnBothSidesOfAnInstantStayApart)
{
    Shut shut;
    shut.sink->keepApart(15);
    for (const std::uint64_t now : {5, 10, 15, 20, 25}) {
        ct::Batch batch = numbered(now / 5 - 1, 1);
        batch.now = now;
        CHECK(static_cast<bool>(shut.sink->consume(batch)));
    }
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK(isDense(shut.log.numbers, 5));
    // Others may be merged.
    CHECK(std::find(shut.log.items.begin(), shut.log.items.end(), "to 3") != shut.log.items.end());
}

CT_CASE(aSlowSinkDoesNotBlockConsume)
{
    Shut shut(64ULL << 20);
    const std::size_t count = 10 * kChunk;
    for (std::size_t i = 0; i < 10; ++i)  // returns although nothing was written yet
        CHECK(static_cast<bool>(shut.sink->consume(numbered(i * kChunk, kChunk))));
    CHECK_EQUAL(shut.sink->pending(), count);
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK(isDense(shut.log.numbers, count));
}

CT_CASE(aFullQueueWaits)
{
    Shut shut;
    const auto aChunk = [](std::size_t i) { return numbered(i * kChunk, kChunk); };
    shut.fill(20, aChunk, 2, 3);  // two chunks, and the one being copied
    CHECK(isDense(shut.log.numbers, 20 * kChunk));
}

CT_CASE(errorsAreReturned)
{
    LoggingSink::Log log;
    auto loggingSink = std::make_shared<LoggingSink>(log);
    loggingSink->failAt = 2;
    const auto sink = queued(std::move(loggingSink));
    ct::Result<void> result;
    for (std::size_t i = 0; i < 100'000 && result; ++i)  // also returns from the wait for room
        result = sink->consume(numbered(0, 1000));
    REQUIRE(!result);
    CHECK_EQUAL(result.error().message, "no space");
    CHECK(result.error().code == ct::ErrorCode::NoSpace);
    CHECK(!sink->finish({}));
    CHECK_EQUAL(log.calls, 2U);
    CHECK(!log.finished);
}

CT_CASE(theErrorOfFinishIsReturned)
{
    LoggingSink::Log log;
    auto loggingSink = std::make_shared<LoggingSink>(log);
    loggingSink->failFinish = true;
    const auto sink = queued(std::move(loggingSink));
    const ct::Result<void> result = sink->finish({});
    REQUIRE(!result);
    CHECK_EQUAL(result.error().message, "no end");
}

CT_CASE(destructorWritesQueuedEvents)
{
    LoggingSink::Log log;
    {
        const auto sink = queued(std::make_shared<LoggingSink>(log));
        CHECK(static_cast<bool>(sink->consume(numbered(0, kChunk + 7))));
    }
    CHECK(isDense(log.numbers, kChunk + 7));
    CHECK(!log.finished);
    CHECK(log.consumedOn == log.destroyedOn);
    CHECK(log.consumedOn != std::this_thread::get_id());
    CHECK_EQUAL(log.nice, std::min(::getpriority(PRIO_PROCESS, 0) + 5, 19));
}

CT_CASE(theBudgetIncludesNotes)
{
    Shut shut;
    const auto named = [](std::size_t) {
        ct::Batch batch;
        batch.notes.names.push_back({0, std::string(100'000, 'x')});
        return batch;
    };
    shut.fill(100, named, 5, 12);
    CHECK_EQUAL(shut.log.items.size(), 100U);
}

/// The sink gets a prefix of the stream, its end, and the numbers of events and births that it did not get.
CT_CASE(countsWhatIsNotWrittenAfterGivingUp)
{
    constexpr std::size_t kCount = 10 * kChunk;
    Shut shut(64ULL << 20);
    const auto born = [](std::uint64_t first, std::size_t count) {
        ct::Batch batch = numbered(first, count);
        batch.births.resize(1);
        batch.births.front().coroutine = static_cast<ct::CoroutineId>(first / kChunk);
        return batch;
    };
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(static_cast<bool>(shut.sink->consume(born(i * kChunk, kChunk))));
    shut.sink->giveUp();
    CHECK(static_cast<bool>(shut.sink->consume(born(kCount, 1000))));
    shut.open();
    ct::Accounting sums;
    sums.captured = kCount + 1000;
    CHECK(static_cast<bool>(shut.sink->finish(sums)));
    CHECK(shut.log.finished);
    CHECK(shut.log.numbers.size() <= kChunk);  // the chunk that it was consuming
    CHECK(isDense(shut.log.numbers, shut.log.numbers.size()));
    CHECK_EQUAL(shut.log.numbers.size() + shut.log.notWritten, kCount + 1000);
    CHECK_EQUAL(shut.sink->pending(), shut.log.notWritten);
    const auto births = std::count_if(shut.log.items.begin(), shut.log.items.end(),
                                      [](const std::string &item) { return item.starts_with("birth"); });
    CHECK_EQUAL(static_cast<std::uint64_t>(births) + shut.log.coroutinesNotWritten, 11U);
}

CT_CASE(givingUpEndsTheWaitForSpace)
{
    Shut shut;
    std::atomic<std::size_t> consumed = 0;
    std::thread source([&] {
        for (std::size_t i = 0; i < 20; ++i) {
            CHECK(static_cast<bool>(shut.sink->consume(numbered(i * kChunk, kChunk))));
            ++consumed;
        }
    });
    while (consumed < 2)  // it has room for two, and the sink may have one
        std::this_thread::yield();
    shut.sink->giveUp();
    source.join();
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK_EQUAL(shut.log.numbers.size() + shut.log.notWritten, 20 * kChunk);
}

/// Giving up does not wait for a slow sink, which has then got a prefix of the stream.
CT_CASE(givesUpWhenPatienceEnds)
{
    constexpr std::size_t kCount = 10 * kChunk;
    Shut shut(64ULL << 20);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(static_cast<bool>(shut.sink->consume(numbered(i * kChunk, kChunk))));
    shut.sink->giveUpAfter(std::chrono::milliseconds(0), std::chrono::hours(1));
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK(shut.log.finished);
    CHECK(shut.log.numbers.size() <= kChunk);
    CHECK(isDense(shut.log.numbers, shut.log.numbers.size()));
    CHECK_EQUAL(shut.log.numbers.size() + shut.log.notWritten, kCount);
}

/// An empty batch that is still queued at the end is no event that was given up.
CT_CASE(givesUpNoEmptyBatch)
{
    LoggingSink::Log log;
    const auto sink = queued(std::make_shared<LoggingSink>(log));
    sink->giveUpAfter(std::chrono::milliseconds(0), std::chrono::minutes(1));
    CHECK(static_cast<bool>(sink->consume({})));
    CHECK(static_cast<bool>(sink->finish({})));
    CHECK(!sink->hasGivenUp());
}

CT_CASE(writesEverythingBeforePatienceEnds)
{
    Shut shut(64ULL << 20);
    for (std::size_t i = 0; i < 10; ++i)
        CHECK(static_cast<bool>(shut.sink->consume(numbered(i * kChunk, kChunk))));
    shut.sink->giveUpAfter(std::chrono::hours(1), std::chrono::hours(1));
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK_EQUAL(shut.log.numbers.size(), 10 * kChunk);
    CHECK_EQUAL(shut.log.notWritten, 0U);
}

/// If a disk hangs, the feeding thread continues, and everything that was not written is counted.
CT_CASE(waitForSpaceIsLimited)
{
    Shut shut(kSmallBudget, std::chrono::milliseconds(1));
    for (std::size_t i = 0; i < 20; ++i)  // more than there is room for
        CHECK(static_cast<bool>(shut.sink->consume(numbered(i * kChunk, kChunk))));
    CHECK(shut.sink->hasGivenUp());
    shut.open();
    CHECK(static_cast<bool>(shut.sink->finish({})));
    CHECK(shut.log.finished && isDense(shut.log.numbers, shut.log.numbers.size()));
    CHECK_EQUAL(shut.log.numbers.size() + shut.log.notWritten, 20 * kChunk);
}

/// A sink that hangs is abandoned. If it continues later, it still gets the end.
CT_CASE(abandonsASinkThatHangs)
{
    LoggingSink::Log log;
    std::promise<void> gate;
    const auto gone = std::make_shared<std::promise<void>>();
    {
        const std::shared_ptr<LoggingSink> loggingSink(new LoggingSink(log), [gone](const LoggingSink *one) {
            delete one;
            gone->set_value();
        });
        loggingSink->gate = gate.get_future();
        const auto sink = queued(loggingSink);
        CHECK(static_cast<bool>(sink->consume(numbered(0, kChunk))));
        CHECK(static_cast<bool>(sink->consume(numbered(kChunk, 10))));
        sink->giveUpAfter(std::chrono::milliseconds(0), std::chrono::milliseconds(0));
        const ct::Result<void> end = sink->finish({});
        CHECK(!end && end.error().code == ct::ErrorCode::Busy);
        CHECK(sink->hasGivenUp());
    }
    gate.set_value();
    gone->get_future().wait();
    CHECK(log.finished);
    CHECK_EQUAL(log.numbers.size() + log.notWritten, kChunk + 10);
}
