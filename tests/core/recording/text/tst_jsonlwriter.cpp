// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"
#include "core/recording/format/jsonscanner.h"
#include "core/recording/text/jsonlline.h"
#include "tests/core/recording/text/jsonlsupport.h"
#include "tests/support/check.h"
#include "tests/support/filesizelimit.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace jsonltest;
using ct::test::FileSizeLimit;

namespace {

std::shared_ptr<ct::Sink> writer(const std::string &path)
{
    auto made = ct::makeJsonlWriter(path);
    REQUIRE(static_cast<bool>(made));
    return *made;
}

std::string written(const ct::Batch &batch)
{
    const TempDir dir;
    const auto sink = writer(dir.file("out.jsonl"));
    CHECK(static_cast<bool>(sink->consume(batch)));
    CHECK(static_cast<bool>(sink->finish({})));
    return contentOf(dir.file("out.jsonl"));
}

/// Redirects standard output, so the test's own output does not mix with that of `-`.
class StdoutTo {
public:
    explicit StdoutTo(int fd) : m_saved(dup(STDOUT_FILENO))
    {
        std::fflush(stdout);
        dup2(fd, STDOUT_FILENO);
    }
    ~StdoutTo()
    {
        dup2(m_saved, STDOUT_FILENO);
        close(m_saved);
    }

private:
    int m_saved;
};

}  // namespace

CT_CASE(firstLineHasEveryField)
{
    ct::Batch batch;
    batch.sites.push_back({1, 88, 5, "src/server.cpp", "void serve(\"x\")"});
    batch.births.push_back(birth(0, 18446744073709551615ULL, 1000, 4242));
    batch.transitions.push_back(event(0, 0, 2000, false, 1, ct::PointKind::Initial));
    batch.transitions.push_back(event(0, 1, 2100, true, 1));
    CHECK_EQUAL(written(batch),
                R"({"probe_id":18446744073709551615,"tid":77,"addr":"0x0000000000401000","seq":2,"is_active":false,)"
                R"j("ts":2000,"n":0,"coroutine":0,"file":"src/server.cpp","line":88,"function":"void serve(\"x\")",)j"
                R"("column":5,"kind":"initial","birth_ts":1000,"pid":4242})"
                "\n"
                R"({"probe_id":18446744073709551615,"tid":77,"addr":"0x0000000000000000","seq":2,"is_active":true,)"
                R"("ts":2100,"n":1,"coroutine":0})"
                "\n");
}

CT_CASE(writesExtremesOfEveryNumber)
{
    ct::Batch batch;
    batch.births.push_back(birth(0, 0));
    ct::Transition last;
    last.coroutine = 0;
    last.ts = last.addr = last.seq = ~0ULL;
    last.tid = ~0U;
    last.kind = ct::PointKind::Yield;
    batch.transitions.push_back(last);
    CHECK_EQUAL(written(batch),
                R"({"probe_id":0,"tid":4294967295,"addr":"0xffffffffffffffff","seq":18446744073709551615,)"
                R"("is_active":false,"ts":18446744073709551615,"n":0,"coroutine":0,"kind":"yield"})"
                "\n");
}

CT_CASE(textBecomesValidJson)
{
    ct::Batch batch;
    batch.sites.push_back(
        {1, 0, 0, "C:\\a\x01\n\t\"", "\xC3\xA4 \xFF \xED\xA0\x80 \xC0\xAF \xF0\x9F\x98\x80 \xE2\x82"});
    batch.births.push_back(birth(0, 1));
    batch.transitions.push_back(event(0, 0, 5, false, 1));
    const std::string text = written(batch);
    CHECK(text.find(R"("file":"C:\\a\u0001\n\t\"")") != std::string::npos);
    CHECK(
        text.find("\"function\":\"\xC3\xA4 \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD "
                  "\xF0\x9F\x98\x80 \xEF\xBF\xBD\xEF\xBF\xBD\"") != std::string::npos);
}

CT_CASE(escapesTerminalControlCharacters)
{
    const std::pair<const char *, const char *> rows[] = {
        {"\x7F", "\\u007f"},         {"\xC2\x80", "\\u0080"},     {"\xC2\x9B", "\\u009b"},
        {"\xC2\x9F", "\\u009f"},     {"\xD8\x9C", "\\u061c"},     {"\xE2\x80\x8E", "\\u200e"},
        {"\xE2\x80\x8F", "\\u200f"}, {"\xE2\x80\xAA", "\\u202a"}, {"\xE2\x80\xAE", "\\u202e"},
        {"\xE2\x81\xA6", "\\u2066"}, {"\xE2\x81\xA9", "\\u2069"},
    };
    for (const auto &[raw, escaped] : rows) {
        std::string json;
        ct::appendJsonString(json, std::string("a") + raw + "b");
        CHECK_EQUAL(json, std::string("\"a") + escaped + "b\"");
        ct::JsonScanner scanner(json);
        std::string_view parsed;
        CHECK(scanner.string(parsed));
        CHECK_EQUAL(parsed, std::string("a") + raw + "b");
    }
    // Neighbouring characters, joiners, and characters beyond U+FFFF are not escaped.
    for (const char *const kept : {"~", "\xC2\xA0", "\xD8\x9B", "\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\xA9",
                                   "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA", "\xF0\x9F\x98\x80"}) {
        std::string json;
        ct::appendJsonString(json, kept);
        CHECK_EQUAL(json, std::string("\"") + kept + "\"");
    }
}

CT_CASE(escapedNamesRoundTrip)
{
    const std::string name = "\x7F \xC2\x9B \xD8\x9C \xE2\x80\xAE \xE2\x80\x8D";
    ct::Batch batch;
    batch.sites.push_back({1, 7, 0, "a.cpp", name});
    batch.births.push_back(birth(0, 1));
    batch.transitions.push_back(event(0, 0, 5, false, 1));
    const std::string text = written(batch);
    CHECK(text.find(name) == std::string::npos);
    ct::JsonlLine line;
    CHECK_EQUAL(ct::parseJsonlLine(text.substr(0, text.size() - 1), line), "");
    CHECK_EQUAL(line.function, name);
}

CT_CASE(gapsHaveReasonAndLength)
{
    ct::Batch batch;
    batch.births.push_back(birth(0, 1));
    batch.births.push_back(birth(1, 2));
    batch.losses.push_back({0, 0, 10, true});
    batch.losses.push_back({0, 11, 4, false});
    batch.transitions.push_back(event(0, 10, 5, false));
    batch.transitions.push_back(event(0, 15, 6, true));
    batch.transitions.push_back(event(1, 3, 7, true));  // a gap without a Loss row
    const std::string text = written(batch);
    CHECK(text.find("\"n\":10,\"coroutine\":0,\"missed_before\":10}") != std::string::npos);
    CHECK(text.find("\"n\":15,\"coroutine\":0,\"lost_before\":4}") != std::string::npos);
    CHECK(text.find("\"n\":3,\"coroutine\":1,\"dropped_before\":3}") != std::string::npos);
}

CT_CASE(lossesOfEarlierBatchesAreRemembered)
{
    const TempDir dir;
    const auto sink = writer(dir.file("out.jsonl"));
    ct::Batch batch;
    batch.births.push_back(birth(0, 1));
    batch.losses.push_back({0, 0, 8, false});
    CHECK(static_cast<bool>(sink->consume(batch)));
    batch.clear();
    batch.losses.push_back({0, 8, 8, false});
    CHECK(static_cast<bool>(sink->consume(batch)));
    batch.clear();
    batch.transitions.push_back(event(0, 16, 5, false));
    CHECK(static_cast<bool>(sink->consume(batch)));
    CHECK(static_cast<bool>(sink->finish({})));
    CHECK(contentOf(dir.file("out.jsonl")).find("\"lost_before\":16}") != std::string::npos);
}

CT_CASE(flushedWithinASecondOfStreamTime)
{
    const TempDir dir;
    const auto sink = writer(dir.file("out.jsonl"));
    ct::Batch batch;
    batch.births.push_back(birth(0, 1));
    batch.transitions.push_back(event(0, 0, 5, false));
    batch.now = 10'000'000'000;
    CHECK(static_cast<bool>(sink->consume(batch)));
    CHECK_EQUAL(contentOf(dir.file("out.jsonl")).size(), 0U);
    batch.clear();
    batch.now += 999'000'000;
    CHECK(static_cast<bool>(sink->consume(batch)));
    const std::string text = contentOf(dir.file("out.jsonl"));
    CHECK(text.ends_with("}\n"));
}

CT_CASE(makingAWriterReportsUnwritableFiles)
{
    const TempDir dir;
    const auto missing = ct::makeJsonlWriter(dir.file("no/such/out.jsonl"));
    REQUIRE(!missing);
    CHECK(missing.error().code == ct::ErrorCode::NotFound);
    CHECK(missing.error().message.find("no/such/out.jsonl") != std::string::npos);
    CHECK(!ct::makeJsonlWriter(dir.file("")));
    CHECK(!ct::makeJsonlWriter(""));
}

CT_CASE(fullDiskNamesTheFile)
{
    const auto sink = writer("/dev/full");
    ct::Batch batch;
    batch.births.push_back(birth(0, 1));
    batch.transitions.push_back(event(0, 0, 5, false));
    CHECK(static_cast<bool>(sink->consume(batch)));
    const ct::Result<void> finished = sink->finish({});
    REQUIRE(!finished);
    CHECK(finished.error().code == ct::ErrorCode::NoSpace);
    CHECK(finished.error().message.find("/dev/full") != std::string::npos);
}

CT_CASE(removesAPartialLine)
{
    const TempDir dir;
    const std::string path = dir.file("out.jsonl");
    {
        const auto sink = writer(path);
        ct::Batch batch;
        batch.births.push_back(birth(0, 1));
        for (std::uint64_t n = 0; n < 1000; ++n)
            batch.transitions.push_back(event(0, n, n, n % 2 == 1));
        CHECK(static_cast<bool>(sink->consume(batch)));
        const FileSizeLimit limit(10'000);
        const ct::Result<void> finished = sink->finish({});
        REQUIRE(!finished);
        CHECK(finished.error().code == ct::ErrorCode::SizeLimit);
    }
    const std::string text = contentOf(path);
    CHECK(text.size() > 9'800 && text.size() <= 10'000);
    CHECK(text.ends_with("}\n"));
    const Everything back = readAll(path);
    CHECK_EQUAL(back.error, "");
    CHECK(back.batch.transitions.size() > 50);
}

CT_CASE(brokenPipeIsAnErrorAndNoSignal)
{
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    std::shared_ptr<ct::Sink> sink;
    {
        const StdoutTo redirected(ends[1]);
        sink = writer("-");
    }
    close(ends[0]);
    close(ends[1]);
    ct::Batch batch;
    batch.births.push_back(birth(0, 1));
    batch.transitions.push_back(event(0, 0, 5, false));
    CHECK(static_cast<bool>(sink->consume(batch)));
    const ct::Result<void> finished = sink->finish({});
    REQUIRE(!finished);
    CHECK(finished.error().message.find("standard output") != std::string::npos);
}

CT_CASE(dashIsStandardOutput)
{
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    {
        const StdoutTo redirected(ends[1]);
        const auto sink = writer("-");
        ct::Batch batch;
        batch.births.push_back(birth(0, 1));
        batch.transitions.push_back(event(0, 0, 5, false));
        CHECK(static_cast<bool>(sink->consume(batch)));
        CHECK(static_cast<bool>(sink->finish({})));
    }
    char buffer[512];
    const ssize_t got = read(ends[0], buffer, sizeof(buffer));
    CHECK(got > 0 && std::string_view(buffer, static_cast<std::size_t>(got)).ends_with("\"coroutine\":0}\n"));
    close(ends[0]);
    close(ends[1]);
}

CT_CASE(aMillionLinesRoundTrip)
{
    constexpr std::uint64_t kEvents = 1'000'000;
    constexpr std::uint64_t kCoroutines = 1000;
    const TempDir dir;
    const std::string path = dir.file("big.jsonl");
    const auto sink = writer(path);
    ct::Batch batch;
    batch.sites.push_back({1, 10, 3, "server.cpp", "task serve(connection)"});
    for (ct::CoroutineId id = 0; id < kCoroutines; ++id)
        batch.births.push_back(birth(id, 0x7f0000000000 + id * 64, 1 + id, 99));
    using Clock = std::chrono::steady_clock;
    Clock::duration spent{};
    for (std::uint64_t n = 0; n < kEvents / kCoroutines; ++n) {
        for (ct::CoroutineId id = 0; id < kCoroutines; ++id)
            batch.transitions.push_back(event(id, n, 1'000'000'000'000 + n * 1000 + id, n % 2 == 1, 1));
        const auto start = Clock::now();
        CHECK(static_cast<bool>(sink->consume(batch)));
        spent += Clock::now() - start;
        batch.clear();
    }
    CHECK(static_cast<bool>(sink->finish({})));
    std::printf("writing: %.1f ns per line\n", std::chrono::duration<double, std::nano>(spent).count() / kEvents);
    const auto start = Clock::now();
    auto reader = ct::JsonlReader::open(path);
    REQUIRE(static_cast<bool>(reader));
    std::uint64_t read = 0;
    for (;;) {
        const ct::Result<bool> more = (*reader)->next(batch);
        REQUIRE(static_cast<bool>(more));
        if (!*more)
            break;
        read += batch.transitions.size();
    }
    std::printf("reading: %.1f ns per line\n",
                std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kEvents);
    CHECK_EQUAL(read, kEvents);
    CHECK_EQUAL((*reader)->accounting().coroutines, kCoroutines);
    CHECK_EQUAL((*reader)->accounting().lost, 0U);
}
