// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/read/readahead.h"

#include "tests/support/check.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>

using namespace ct;

namespace {

/// Batches numbered by their time: `count` of them, or as many as the test allows.
class Numbers final : public StreamFile {
public:
    std::uint64_t count = 0;
    std::size_t transitions = 1;
    std::size_t textBytes = 0;   ///< bytes of text in the facts
    std::optional<Error> error;  ///< result at the end, if set
    bool lacksMemory = false;    ///< throws std::bad_alloc at the end
    bool factsLackMemory = false;
    std::atomic<std::uint64_t> read = 0;

    Result<bool> next(Batch &batch) override
    {
        batch.clear();
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return m_allowed > read; });
        }
        if (read == count) {
            m_sums.untraced = 99;
            if (lacksMemory)
                throw std::bad_alloc();
            return error && !std::exchange(m_said, true) ? Result<bool>(*error) : Result<bool>(false);
        }
        batch.now = ++read;
        batch.transitions.resize(transitions, Transition());
        m_sums.captured += transitions;
        return true;
    }
    double progress() const override { return static_cast<double>(read) / 1e6; }
    Accounting accounting() const override { return m_sums; }
    bool hasEnded() const override { return read == count; }
    /// Facts of every tenth batch.
    bool takeFacts(FileFacts &facts) override
    {
        if (read % 10 != 0 || read == m_latestFacts)
            return false;
        m_latestFacts = read;
        if (factsLackMemory)
            throw std::bad_alloc();
        facts.info.session = std::to_string(read);
        facts.frames = {FrameLocation{}};
        facts.frames.front().function.assign(textBytes, 'f');
        return true;
    }

    void block() { m_allowed = 0; }
    void allow(std::uint64_t batches)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_allowed = batches;
        }
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::uint64_t m_allowed = ~std::uint64_t{0};
    Accounting m_sums;
    bool m_said = false;
    std::uint64_t m_latestFacts = 0;
};

struct Ahead {
    Numbers *numbers = nullptr;
    std::unique_ptr<ReadAhead> reader;
};

template <class Prepare>
Ahead ahead(Prepare &&prepare)
{
    auto numbers = std::make_unique<Numbers>();
    prepare(*numbers);
    Ahead made;
    made.numbers = numbers.get();
    made.reader = std::make_unique<ReadAhead>(std::move(numbers));
    return made;
}

}  // namespace

CT_CASE(returnsBatchesInOrder)
{
    for (const std::size_t transitions : {0U, 1U, 5000U}) {
        const Ahead all = ahead([&](Numbers &numbers) {
            numbers.count = 3000;
            numbers.transitions = transitions;
        });
        Batch batch;
        for (std::uint64_t i = 1; i <= 3000; ++i) {
            const Result<bool> more = all.reader->next(batch);
            REQUIRE(more && *more);
            CHECK_EQUAL(batch.now, i);
            CHECK_EQUAL(batch.transitions.size(), transitions);
            // The values after this batch, not those after the batches that were read ahead.
            CHECK_EQUAL(all.reader->accounting().captured, i * transitions);
            CHECK_EQUAL(all.reader->progress(), static_cast<double>(i) / 1e6);
            CHECK(!all.reader->hasEnded() || i == 3000);
        }
        for (int i = 0; i < 2; ++i) {
            const Result<bool> more = all.reader->next(batch);
            CHECK(more && !*more);
            CHECK(batch.empty());
        }
        CHECK_EQUAL(all.reader->accounting().untraced, 99U);
        CHECK(all.reader->hasEnded());
    }
}

CT_CASE(factsBelongToTheirBatch)
{
    const Ahead all = ahead([](Numbers &numbers) { numbers.count = 100; });
    Batch batch;
    FileFacts facts;
    for (std::uint64_t i = 1; i <= 60; ++i) {
        REQUIRE(static_cast<bool>(all.reader->next(batch)));
        CHECK_EQUAL(all.reader->takeFacts(facts), i % 10 == 0);
    }
    CHECK_EQUAL(facts.info.session, "60");
    // If facts were not fetched for a while: the latest info, and all frames.
    while (*all.reader->next(batch)) {
    }
    REQUIRE(all.reader->takeFacts(facts));
    CHECK_EQUAL(facts.info.session, "100");
    CHECK_EQUAL(facts.frames.size(), 4U);
    CHECK(!all.reader->takeFacts(facts));
}

CT_CASE(anErrorIsReturnedLastAndOnce)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 2;
        numbers.error = Error{ErrorCode::BadFormat, "run.ctr is damaged"};
    });
    Batch batch;
    for (int i = 0; i < 2; ++i) {
        const Result<bool> more = all.reader->next(batch);
        CHECK(more && *more);
    }
    const Result<bool> failed = all.reader->next(batch);
    REQUIRE(!failed);
    CHECK_EQUAL(failed.error().message, "run.ctr is damaged");
    const Result<bool> after = all.reader->next(batch);
    CHECK(after && !*after);
}

CT_CASE(lackOfMemoryIsAnError)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 1;
        numbers.lacksMemory = true;
    });
    Batch batch;
    CHECK(*all.reader->next(batch));
    const Result<bool> failed = all.reader->next(batch);
    REQUIRE(!failed);
    CHECK(failed.error().code == ErrorCode::NoSpace);
    CHECK(batch.empty());
    CHECK(!*all.reader->next(batch));
}

CT_CASE(lackOfMemoryForFactsIsAnError)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 20;
        numbers.factsLackMemory = true;
    });
    Batch batch;
    for (int i = 0; i < 9; ++i) {
        const Result<bool> more = all.reader->next(batch);
        REQUIRE(more && *more);
    }
    // The facts come with the tenth batch.
    const Result<bool> failed = all.reader->next(batch);
    REQUIRE(!failed);
    CHECK(failed.error().code == ErrorCode::NoSpace);
    CHECK_EQUAL(all.reader->accounting().captured, 9U);
    CHECK(batch.empty());
    CHECK(!*all.reader->next(batch));
}

CT_CASE(readAheadIsLimited)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 100'000;
        numbers.transitions = 1000;
    });
    Batch batch;
    for (std::uint64_t i = 1; i <= 2000; ++i) {
        const Result<bool> more = all.reader->next(batch);
        REQUIRE(more && *more);
        // The ready batches, the one that used up the room, and the one being read.
        CHECK(all.numbers->read <= i + ReadAhead::kMostRows / 1000 + 2);
    }
    // Destruction does not wait for the rest.
}

/// Every tenth batch has 1 MiB of texts.
CT_CASE(readAheadOfTextsIsLimited)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 1000;
        numbers.textBytes = 1U << 20;
    });
    Batch batch;
    for (std::uint64_t i = 1; i <= 500; ++i) {
        REQUIRE(*all.reader->next(batch));
        CHECK(all.numbers->read <= i + 150);
    }
}

/// A source that waits for more, as when following a file. Its batches are returned at once.
CT_CASE(returnsAvailableBatchesAtOnce)
{
    const Ahead all = ahead([](Numbers &numbers) {
        numbers.count = 20;
        numbers.block();
    });
    Batch batch;
    for (std::uint64_t i = 1; i <= 20; ++i) {
        all.numbers->allow(i);
        const Result<bool> more = all.reader->next(batch);
        REQUIRE(more && *more);
        CHECK_EQUAL(batch.now, i);
        CHECK_EQUAL(all.numbers->read, i);
    }
    all.numbers->allow(100);
}
