// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/format/transitioncolumns.h"
#include "tests/core/recording/recordingtest.h"

using namespace recordingtest;
using namespace ct::ctr;

namespace {

std::string sectionOf(const TransitionEncoder &encoder)
{
    ColumnWriter payload;
    encoder.write(payload);
    ColumnReader reader(payload.data(), payload.size());
    static_cast<void>(reader.byte());
    static_cast<void>(reader.plain());
    ColumnReader section = reader.column();
    return std::string(section.text(section.left()));
}

bool decode(TransitionDecoder &decoder, std::string_view section, std::uint64_t count, Transitions &events)
{
    return decoder.read({reinterpret_cast<const std::uint8_t *>(section.data()), section.size()}, count, events);
}

void checkSame(const Transitions &events, const Transitions &back)
{
    REQUIRE(back.size() == events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (textOf(back[i]) != textOf(events[i])) {
            CHECK_EQUAL(textOf(back[i]), textOf(events[i]));
            return;
        }
    }
}

Transition turn(CoroutineId id, std::uint64_t n, std::uint64_t ts)
{
    Transition event = jsonltest::event(id, n, ts, n % 2 == 1, n % 2 == 1 ? 0 : 1);
    event.addr = 0x7f00'0000'1000 + id * 208ULL;
    return event;
}

}  // namespace

CT_CASE(anyTransitionsRoundTrip)
{
    TransitionEncoder encoder;
    TransitionDecoder decoder;
    for (unsigned seed = 0; seed < 30; ++seed) {
        RandomStream stream(seed);
        Transitions all;
        encoder.beginBlock();
        for (int i = 0; i < 5; ++i) {
            const Batch batch = stream.next(seed * 50 + 1);
            encoder.addTransitions(batch.transitions);
            all.insert(all.end(), batch.transitions.begin(), batch.transitions.end());
        }
        CHECK_EQUAL(encoder.size(), all.size());
        const std::string section = sectionOf(encoder);
        Transitions back;
        REQUIRE(decode(decoder, section, all.size(), back));
        checkSame(all, back);
    }
}

CT_CASE(fullBlocksOfManyCoroutinesRoundTrip)
{
    TransitionEncoder encoder;
    TransitionDecoder decoder;
    std::vector<std::uint64_t> next(100'000);
    std::mt19937 random(5);
    for (int block = 0; block < 3; ++block) {
        encoder.beginBlock();
        Transitions all;
        for (std::size_t i = 0; i < TransitionEncoder::kMostTransitions; ++i) {
            const CoroutineId id = random() % next.size();
            all.push_back(turn(id, next[id]++, 1000 + i * 40));
        }
        encoder.addTransitions(all);
        CHECK_EQUAL(encoder.firstTs(), 1000U);
        CHECK_EQUAL(encoder.lastTs(), 1000 + (TransitionEncoder::kMostTransitions - 1) * 40);
        Transitions back;
        REQUIRE(decode(decoder, sectionOf(encoder), all.size(), back));
        checkSame(all, back);
    }
}

/// An event of such a storm has about three bytes before compression, whatever addresses the frames have.
CT_CASE(pairedEventsNeedThreeBytes)
{
    TransitionEncoder encoder;
    Transitions all;
    for (std::uint64_t round = 0; round < 32; ++round) {
        for (CoroutineId id = 0; id < 1000; ++id) {
            for (std::uint64_t half = 0; half < 2; ++half)
                all.push_back(turn(id, round * 2 + half, 1'000'000 + all.size() * 40));
        }
    }
    encoder.addTransitions(all);
    CHECK(sectionOf(encoder).size() < all.size() * 32 / 10);
}

CT_CASE(damagedSectionsAreRefusedOrBounded)
{
    TransitionEncoder encoder;
    RandomStream stream(9);
    const Batch batch = stream.next(300);
    encoder.addTransitions(batch.transitions);
    const std::string good = sectionOf(encoder);
    std::mt19937_64 random(1);
    TransitionDecoder decoder;
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string bad = good;
        for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
            bad[random() % bad.size()] = static_cast<char>(random());
        if (random() % 4 == 0)
            bad.resize(random() % bad.size());
        Transitions back;
        const bool accepted = decode(decoder, bad, random() % 8 == 0 ? random() % 1000 : 300, back);
        refused += !accepted;
        if (!accepted)
            continue;
        for (const Transition &event : back)
            CHECK(event.coroutine != kNoCoroutine && event.n < kNumberEnd && static_cast<int>(event.kind) < 4);
    }
    CHECK(refused > 5'000);
    Transitions back;
    CHECK(!decode(decoder, good, 299, back));
    CHECK(!decode(decoder, good, 301, back));
    CHECK(!decode(decoder, good, kMostRows, back));
    CHECK(!decode(decoder, "", 1, back));
    CHECK(decode(decoder, "", 0, back));
}
