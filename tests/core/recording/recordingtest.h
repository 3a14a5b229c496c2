// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Support for the tests of recordings: streams with everything that a capture can produce, and their text.
#pragma once

#include "core/recording/read/recordingreader.h"
#include "core/recording/write/recordingwriter.h"
#include "tests/core/recording/streamtext.h"
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"

#include <random>
#include <string>
#include <vector>

namespace recordingtest {

using namespace ct;
using ct::test::textOf;
using jsonltest::contentOf;
using jsonltest::putContent;
using jsonltest::TempDir;

/// Random batches that keep the rules of a stream and have arbitrary values otherwise.
class RandomStream {
public:
    explicit RandomStream(unsigned seed) : m_random(seed) {}

    Batch next(std::size_t transitions)
    {
        Batch batch;
        for (std::uint64_t i = below(4); i > 0; --i)
            batch.sites.push_back({++m_sites, small32(), small32(), text(), text()});
        for (std::uint64_t i = m_ids.empty() ? 3 : below(6); i > 0; --i)
            addBirth(batch);
        for (std::size_t i = 0; i < transitions; ++i)
            addTransition(batch);
        for (std::uint64_t i = below(3); i > 0; --i)
            batch.deaths.push_back({anyone(), wild()});
        for (std::uint64_t i = below(2); i > 0; --i)
            batch.flags.push_back({anyone(), below(2) ? Flag::Reason::TwoWriters : Flag::Reason::DialectContradiction});
        addNotes(batch.notes);
        m_ts += 1 + below(1000);
        batch.now = m_ts;
        return batch;
    }

private:
    struct One {
        std::uint64_t n = 0;
        std::uint64_t addr = 0;
    };
    std::uint64_t below(std::uint64_t end) { return m_random() % end; }
    /// Returns any 64-bit number; small ones are as likely as large ones.
    std::uint64_t wild() { return m_random() >> below(64); }
    std::uint32_t small32() { return static_cast<std::uint32_t>(m_random() >> (32 + below(32))); }
    CoroutineId anyone() { return static_cast<CoroutineId>(below(m_ids.size())); }
    CoroutineId maybe() { return below(2) ? anyone() : kNoCoroutine; }
    std::string text()
    {
        std::string text(below(20), '\0');
        for (char &character : text)
            character = static_cast<char>(m_random());
        return text;
    }
    void addBirth(Batch &batch)
    {
        const auto id = static_cast<CoroutineId>(m_ids.size());
        batch.births.push_back({id, small32(), small32(), small32(), static_cast<Dialect>(below(4)), wild(), wild()});
        m_ids.push_back({below(2), wild()});
    }
    void addTransition(Batch &batch)
    {
        Transition event;
        event.coroutine = anyone();
        One &one = m_ids[event.coroutine];
        if (below(50) == 0) {
            const std::uint64_t count = 1 + below(1000);
            if (below(2))
                batch.losses.push_back({event.coroutine, one.n, count, below(2) != 0});
            one.n += count;
        }
        event.n = one.n++;
        event.seq = below(40) ? slotSeq(event.coroutine % 2 ? Dialect::Monotonic : Dialect::Seqlock, event.n) : wild();
        m_ts += below(100);
        event.ts = below(100) ? m_ts : std::max<std::uint64_t>(wild(), 1);  // 0 is no time
        event.addr = below(4) ? one.addr : below(2) ? 0 : wild();
        event.tid = below(20) ? 1000 + static_cast<std::uint32_t>(below(3)) : small32();
        event.site = static_cast<SiteId>(below(m_sites + 1));
        event.kind = static_cast<PointKind>(below(4));
        event.active = below(2) != 0;
        batch.transitions.push_back(event);
    }
    void addNotes(Notes &notes)
    {
        const auto some = [this](auto &&add) {
            for (std::uint64_t i = below(3); i > 0; --i)
                add();
        };
        some([&] { notes.processes.push_back({small32(), wild(), text()}); });
        some([&] { notes.threadNames.push_back({small32(), small32(), text()}); });
        some([&] { notes.names.push_back({anyone(), text()}); });
        some([&] { notes.parents.push_back({anyone(), anyone()}); });
        some([&] {
            notes.waits.push_back(
                {anyone(), m_random() >> 8, static_cast<WaitKind>(below(7)), wild(), maybe(), small32()});
        });
        some([&] { notes.wakes.push_back({anyone(), maybe(), m_random() >> 8, wild(), small32(), small32()}); });
        some([&] {
            notes.uses.push_back({maybe(), m_random() >> 8, static_cast<UseKind>(below(3)), wild(),
                                  static_cast<SiteId>(below(m_sites + 1)), wild(), small32(), small32()});
        });
        some([&] { notes.wakersLeft.push_back({anyone(), m_random() >> 8, wild(), wild()}); });
        some([&] { notes.finishes.push_back({anyone(), wild(), static_cast<SiteId>(below(m_sites + 1))}); });
        some([&] { notes.drops.push_back({small32(), small32(), wild(), wild(), wild()}); });
        some([&] { notes.switches.push_back({small32(), wild(), below(2) != 0}); });
        some([&] { notes.processEnds.push_back({small32(), wild()}); });
        some([&] {
            notes.threadSamples.push_back({small32(), small32(), wild(), static_cast<ThreadState>(below(7)),
                                           static_cast<ThreadCall>(below(11)), below(2) != 0, wild(), wild(), wild()});
        });
        some([&] {
            notes.descriptorSamples.push_back({small32(), small32(), small32(), wild(),
                                               static_cast<DescriptorKind>(below(12)), small32(),
                                               below(2) ? wild() : DescriptorSample::kUnknown, wild(),
                                               static_cast<std::uint8_t>(below(256)), below(2) != 0, below(2) != 0});
        });
        some([&] {
            notes.processSamples.push_back(
                {small32(), wild(), wild(), small32(), wild(), below(2) != 0, below(2) != 0, below(2) != 0, wild()});
        });
    }

    std::mt19937_64 m_random;
    std::vector<One> m_ids;
    SiteId m_sites = 0;
    std::uint64_t m_ts = 1'000'000'000'000;
};

inline std::shared_ptr<RecordingWriter> writer(const std::string &path)
{
    auto made = RecordingWriter::open(path);
    REQUIRE(static_cast<bool>(made));
    return *made;
}

/// The complete output of a reader.
struct Everything {
    std::vector<Batch> batches;
    std::string error;
    Accounting sums;
    RecordingInfo info;
    std::vector<ctr::Damage> damages;
    std::vector<ctr::OutputPiece> output;
    bool hasEnded = false;
};

inline Everything readAll(const std::string &path)
{
    Everything all;
    auto reader = RecordingReader::open(path, [&](const ctr::OutputPiece &piece) { all.output.push_back(piece); });
    if (!reader) {
        all.error = reader.error().message;
        return all;
    }
    Batch batch;
    for (;;) {
        const Result<bool> more = (*reader)->next(batch);
        if (!more)
            all.error = more.error().message;
        if (!more || !*more)
            break;
        all.batches.push_back(batch);
    }
    all.sums = (*reader)->accounting();
    all.info = (*reader)->info();
    all.damages = (*reader)->damages();
    all.hasEnded = (*reader)->hasEnded();
    return all;
}

}  // namespace recordingtest
