// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/format/rowlayouts.h"
#include "tests/support/check.h"

#include <random>

using namespace ct;
using namespace ct::ctr;

namespace {

ColumnReader readerOf(const ColumnWriter &writer)
{
    return {writer.data(), writer.size()};
}

std::vector<std::uint64_t> edges()
{
    std::vector<std::uint64_t> values;
    for (int bit = 0; bit < 64; ++bit) {
        for (const std::uint64_t near : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}})
            values.push_back((std::uint64_t{1} << bit) + near);
    }
    values.push_back(~std::uint64_t{0});
    values.push_back(0);
    return values;
}

/// Reads the section of one layout, after its tag and count.
template <class Layout_>
bool read(const ColumnWriter &payload, std::vector<typename Layout_::Row> &rows)
{
    ColumnReader reader = readerOf(payload);
    CHECK_EQUAL(static_cast<int>(reader.byte()), static_cast<int>(Layout_::kTag));
    const std::uint64_t count = reader.plain();
    return Layout_::read(reader.column(), count, rows);
}

}  // namespace

CT_CASE(numbersRoundTrip)
{
    ColumnWriter plain;
    ColumnWriter delta;
    for (const std::uint64_t value : edges()) {
        plain.plain(value);
        delta.delta(value);
    }
    ColumnReader plainReader = readerOf(plain);
    ColumnReader deltaReader = readerOf(delta);
    for (const std::uint64_t value : edges()) {
        CHECK_EQUAL(plainReader.plain(), value);
        CHECK_EQUAL(deltaReader.delta(), value);
    }
    CHECK(plainReader.atEnd() && deltaReader.atEnd() && !plainReader.failed() && !deltaReader.failed());
    CHECK_EQUAL(plainReader.plain(), 0U);
    CHECK(plainReader.failed());
}

CT_CASE(varintsMatchTheDocument)
{
    const auto bytes = [](std::uint64_t value) {
        ColumnWriter column;
        column.plain(value);
        return std::string(reinterpret_cast<const char *>(column.data()), column.size());
    };
    CHECK(bytes(0) == std::string(1, '\0'));
    CHECK(bytes(127) == "\x7F");
    CHECK(bytes(128) == std::string("\x80\x01"));
    CHECK(bytes(300) == std::string("\xAC\x02"));
    CHECK(bytes(16383) == std::string("\xFF\x7F"));
    CHECK(bytes(16384) == std::string("\x80\x80\x01"));
    CHECK_EQUAL(bytes(~std::uint64_t{0}).size(), 10U);
    CHECK_EQUAL(zigzag(0), 0U);
    CHECK_EQUAL(zigzag(~std::uint64_t{0}), 1U);
    CHECK_EQUAL(zigzag(1), 2U);
    CHECK_EQUAL(zigzag(~std::uint64_t{1}), 3U);
}

CT_CASE(neverReadsBeyondItsBytes)
{
    for (const std::string_view text : {"", "\x80", "\xFF\xFF", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02",
                                        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"}) {
        ColumnReader reader(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
        CHECK_EQUAL(reader.plain(), 0U);
        CHECK(reader.failed());
        CHECK(reader.atEnd());
    }
    const std::string_view long_ = "\x7F"
                                   "abc";
    ColumnReader reader(reinterpret_cast<const std::uint8_t *>(long_.data()), long_.size());
    CHECK(reader.column().atEnd());
    CHECK(reader.failed());
}

CT_CASE(rowsRoundTrip)
{
    const std::vector<Site> sites{
        {1, 10, 3, "a.cpp", "f"}, {2, 0, 0, "", "g()"}, {7, ~0U, 1, std::string(3, '\0'), ""}};
    ColumnWriter payload;
    SiteLayout::write(sites, payload);
    std::vector<Site> back;
    REQUIRE(read<SiteLayout>(payload, back));
    REQUIRE(back.size() == sites.size());
    for (std::size_t i = 0; i < sites.size(); ++i) {
        CHECK_EQUAL(back[i].id, sites[i].id);
        CHECK_EQUAL(back[i].line, sites[i].line);
        CHECK(back[i].file == sites[i].file && back[i].function == sites[i].function);
    }
    const std::vector<Wake> wakes{{3, kNoCoroutine, 5, 100, 1, 2}, {0, 0, kNumberEnd - 1, 90, 3, 4}};
    payload.clear();
    WakeLayout::write(wakes, payload);
    std::vector<Wake> wakesBack;
    REQUIRE(read<WakeLayout>(payload, wakesBack));
    CHECK_EQUAL(wakesBack[0].by, kNoCoroutine);
    CHECK_EQUAL(wakesBack[1].by, 0U);
    CHECK_EQUAL(wakesBack[1].ts, 90U);
}

CT_CASE(refusesImpossibleValues)
{
    const auto refused = [](auto layout, auto row) {
        using Layout_ = decltype(layout);
        ColumnWriter payload;
        Layout_::write({row}, payload);
        std::vector<typename Layout_::Row> back;
        return !read<Layout_>(payload, back);
    };
    Birth birth;
    birth.coroutine = 0;
    CHECK(!refused(BirthLayout{}, birth));
    birth.dialect = static_cast<Dialect>(4);
    CHECK(refused(BirthLayout{}, birth));
    CHECK(refused(FlagLayout{}, Flag{0, static_cast<Flag::Reason>(2)}));
    CHECK(refused(LossLayout{}, Loss{0, kNumberEnd, 1, false}));
    CHECK(refused(WaitLayout{}, WaitsOn{0, 1, static_cast<WaitKind>(7), 0, 0}));
}

CT_CASE(columnsMayBeMissingOrUnknown)
{
    ColumnWriter id;
    id.delta(5);
    id.delta(6);
    ColumnWriter section;
    section.column(id);
    std::vector<Birth> births;
    REQUIRE(BirthLayout::read(readerOf(section), 2, births));
    CHECK_EQUAL(births[1].coroutine, 6U);
    CHECK_EQUAL(births[1].probeId, 0U);
    // More rows than the first column has, fewer rows, or no first column.
    CHECK(!BirthLayout::read(readerOf(section), 3, births));
    CHECK(!BirthLayout::read(readerOf(section), 1, births));
    CHECK(!BirthLayout::read(ColumnReader(), 1, births));
    std::vector<ProcessEnd> ends;
    ColumnWriter more;
    ProcessEndLayout::write({{1, 2}, {3, 4}}, more);
    ColumnReader reader = readerOf(more);
    static_cast<void>(reader.byte());
    CHECK_EQUAL(reader.plain(), 2U);
    ColumnWriter grown;
    ColumnReader known = reader.column();
    grown.bytes(known.text(known.left()));
    grown.column(id);
    REQUIRE(ProcessEndLayout::read(readerOf(grown), 2, ends));
    CHECK_EQUAL(ends[1].ts, 4U);
}

CT_CASE(randomBytesGiveBoundedRows)
{
    std::mt19937_64 random(3);
    for (int i = 0; i < 20'000; ++i) {
        std::string noise(random() % 40, '\0');
        for (char &character : noise)
            character = static_cast<char>(random() >> (random() % 8));
        const auto *bytes = reinterpret_cast<const std::uint8_t *>(noise.data());
        std::vector<Site> sites;
        std::vector<Wake> wakes;
        static_cast<void>(SiteLayout::read({bytes, noise.size()}, random() % 64, sites));
        static_cast<void>(WakeLayout::read({bytes, noise.size()}, random() % 64, wakes));
        CHECK(sites.size() <= noise.size() && wakes.size() <= noise.size());
    }
}
