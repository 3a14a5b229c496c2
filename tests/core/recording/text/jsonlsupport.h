// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Files and batches for the tests of JSONL recordings.
#pragma once

#include "core/recording/text/jsonlreader.h"
#include "core/recording/text/jsonlwriter.h"
#include "tests/support/check.h"
#include "tests/support/events.h"
#include "tests/support/tempdir.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace jsonltest {

using ct::test::TempDir;

inline std::string contentOf(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void putContent(const std::string &path, std::string_view content)
{
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

inline ct::Birth birth(ct::CoroutineId id, std::uint64_t probeId, std::uint64_t birthTs = 0, std::uint32_t pid = 0,
                       ct::Dialect dialect = ct::Dialect::Seqlock)
{
    ct::Birth birth;
    birth.coroutine = id;
    birth.probeId = probeId;
    birth.birthTs = birthTs;
    birth.pid = pid;
    birth.dialect = dialect;
    return birth;
}

inline ct::Transition event(ct::CoroutineId id, std::uint64_t n, std::uint64_t ts, bool active,
                            ct::SiteId site = ct::kUnknownSite, ct::PointKind kind = ct::PointKind::Await)
{
    ct::Transition event = ct::test::eventOf(ct::Dialect::Seqlock, id, n, ts, active, site);
    event.addr = active ? 0 : 0x401000 + n;
    event.tid = 77;
    event.kind = kind;
    return event;
}

/// The rows of a JSONL file as one batch, and the error that ended reading, if any.
struct Everything {
    ct::Batch batch;
    std::string error;
    ct::Accounting sums;
    bool isDamaged = false;
};

inline Everything readAll(const std::string &path, ct::ReadOptions options = {})
{
    Everything all;
    auto reader = ct::JsonlReader::open(path, options);
    if (!reader) {
        all.error = reader.error().message;
        return all;
    }
    const auto append = [](auto &to, const auto &from) { to.insert(to.end(), from.begin(), from.end()); };
    ct::Batch batch;
    for (;;) {
        const ct::Result<bool> more = (*reader)->next(batch);
        if (!more)
            all.error = more.error().message;
        if (!more || !*more)
            break;
        append(all.batch.sites, batch.sites);
        append(all.batch.births, batch.births);
        append(all.batch.losses, batch.losses);
        append(all.batch.transitions, batch.transitions);
        append(all.batch.flags, batch.flags);
        append(all.batch.deaths, batch.deaths);
        append(all.batch.notes.processes, batch.notes.processes);
        append(all.batch.notes.threadNames, batch.notes.threadNames);
        append(all.batch.notes.names, batch.notes.names);
        append(all.batch.notes.parents, batch.notes.parents);
        append(all.batch.notes.waits, batch.notes.waits);
        append(all.batch.notes.wakes, batch.notes.wakes);
        append(all.batch.notes.uses, batch.notes.uses);
        append(all.batch.notes.wakersLeft, batch.notes.wakersLeft);
        append(all.batch.notes.finishes, batch.notes.finishes);
        append(all.batch.notes.drops, batch.notes.drops);
        append(all.batch.notes.switches, batch.notes.switches);
        append(all.batch.notes.processEnds, batch.notes.processEnds);
        all.batch.now = batch.now;
    }
    all.sums = (*reader)->accounting();
    all.isDamaged = (*reader)->isDamaged();
    return all;
}

inline Everything readText(const TempDir &dir, std::string_view text)
{
    putContent(dir.file("input.jsonl"), text);
    return readAll(dir.file("input.jsonl"));
}

/// A line of the existing collector.
inline std::string line(std::uint64_t probeId, std::uint64_t seq, std::uint64_t ts, bool active)
{
    return R"({"probe_id":)" + std::to_string(probeId) + R"(,"tid":5,"addr":"0x0000000000000010","seq":)" +
           std::to_string(seq) + R"(,"is_active":)" + (active ? "true" : "false") + R"(,"ts":)" + std::to_string(ts) +
           "}\n";
}

/// The numbers of a coroutine's events.
inline std::vector<std::uint64_t> numbers(const Everything &all, ct::CoroutineId id)
{
    std::vector<std::uint64_t> numbers;
    for (const ct::Transition &transition : all.batch.transitions) {
        if (transition.coroutine == id)
            numbers.push_back(transition.n);
    }
    return numbers;
}

inline void checkErrorAt(const Everything &all, std::size_t transitionsBefore, std::string_view expected)
{
    CHECK(all.error.find(expected) != std::string::npos);
    CHECK(all.error.find("everything before it was read") != std::string::npos);
    CHECK_EQUAL(all.batch.transitions.size(), transitionsBefore);
}

}  // namespace jsonltest
