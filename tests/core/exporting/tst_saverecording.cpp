// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Saving a recording: the new file is complete, or the older file stays.
#include "core/exporting/saverecording.h"
#include "core/recording/read/segments.h"
#include "core/recording/write/fileclaim.h"
#include "tests/core/recording/simulatedprogram.h"
#include "tests/support/filesizelimit.h"

#include <filesystem>

using namespace recordingtest;

namespace {

/// Writes a recording of several segments in `dir`, called run.ctr.
std::string recordIn(const TempDir &dir)
{
    const std::string path = dir.file("run.ctr");
    auto made = RecordingWriter::open(path, {0, 40 * kSecond});
    REQUIRE(static_cast<bool>(made));
    SimulatedProgram program(30);
    for (int i = 0; i < 300; ++i)
        CHECK(static_cast<bool>((*made)->consume(program.next())));
    CHECK(static_cast<bool>((*made)->finish({})));
    REQUIRE(ctr::segmentsOf(path).size() > 2);
    return path;
}

std::size_t filesIn(const TempDir &dir)
{
    const std::filesystem::directory_iterator all(dir.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

CT_CASE(savesAllSegmentsAsOneFile)
{
    const TempDir dir;
    const TempDir other;
    const std::string path = recordIn(dir);
    double last = 0;
    const auto saved = saveRecording(path, other.file("kept.ctr"), [&](double progress) {
        last = progress;
        return true;
    });
    REQUIRE(static_cast<bool>(saved));
    CHECK(last > 0.5 && last <= 1);
    CHECK(filesIn(other) == 1);
    const Everything kept = readAll(other.file("kept.ctr"));
    CHECK(kept.error.empty() && kept.hasEnded);
    CHECK(kept.batches.size() == readAll(ctr::segmentPath(path, 0)).batches.size());
    // Saves again, over the first copy.
    CHECK(static_cast<bool>(saveRecording(path, other.file("kept.ctr"))));
    CHECK(filesIn(other) == 1 && readAll(other.file("kept.ctr")).error.empty());
}

CT_CASE(leavesNoFileWithoutSpace)
{
    const TempDir dir;
    const TempDir other;
    const std::string path = recordIn(dir);
    putContent(other.file("kept.ctr"), "as it was");
    const ct::test::FileSizeLimit full(1000);
    for (const std::string &to : {other.file("kept.ctr"), other.file("new.ctr")}) {
        const auto saved = saveRecording(path, to);
        REQUIRE(!saved);
        CHECK_EQUAL(saved.error().message, to + ": File too large; nothing was written; raise the limit on the size of "
                                                "files (ulimit -f) or choose another folder");
    }
    CHECK(filesIn(other) == 1);
    CHECK_EQUAL(contentOf(other.file("kept.ctr")), "as it was");
}

CT_CASE(aCancelledSaveChangesNothing)
{
    const TempDir dir;
    const TempDir other;
    const std::string path = recordIn(dir);
    putContent(other.file("kept.ctr"), "as it was");
    const auto saved = saveRecording(path, other.file("kept.ctr"), [](double progress) { return progress < 0.3; });
    REQUIRE(!saved && saved.error().code == ErrorCode::Cancelled);
    CHECK(filesIn(other) == 1);
    CHECK_EQUAL(contentOf(other.file("kept.ctr")), "as it was");
}

/// A recording in use is not replaced, least of all the one that is copied.
CT_CASE(refusesToReplaceARecordingInUse)
{
    const TempDir dir;
    const std::string path = recordIn(dir);
    const std::string first = ctr::segmentPath(path, 0);
    const std::string before = contentOf(first);
    {
        const ctr::ReadClaim open({first});
        const auto saved = saveRecording(path, first);
        REQUIRE(!saved && saved.error().code == ErrorCode::Busy);
        CHECK(saved.error().message.find("open in a window; choose another name") != std::string::npos);
    }
    auto live = RecordingWriter::open(dir.file("live.ctr"));
    REQUIRE(static_cast<bool>(live));
    const auto saved = saveRecording(path, dir.file("live.ctr"));
    CHECK(!saved && saved.error().message.find("being written") != std::string::npos);
    CHECK(contentOf(first) == before);
}

/// With "run.0.ctr" in the same folder, "run.ctr" and "run.7.ctr" would belong to that recording.
CT_CASE(refusesNamesOfOtherRecordings)
{
    const TempDir dir;
    const std::string path = recordIn(dir);
    const std::size_t files = filesIn(dir);
    const std::string before = contentOf(ctr::segmentPath(path, 0));
    const std::string indirect = dir.path() + "/./run.ctr";
    for (const std::string &to : {path, ctr::segmentPath(path, 7), ctr::segmentPath(path, 0), indirect}) {
        const auto saved = saveRecording(path, to);
        REQUIRE(!saved && saved.error().code == ErrorCode::AlreadyExists);
        CHECK(saved.error().message.find("; choose another name") != std::string::npos);
    }
    CHECK(filesIn(dir) == files && contentOf(ctr::segmentPath(path, 0)) == before);
    CHECK(static_cast<bool>(saveRecording(path, dir.file("kept.ctr"))));
    CHECK(!saveRecording(path, dir.file("kept.0.ctr")));
    CHECK(static_cast<bool>(saveRecording(path, dir.file("other.3.ctr"))));
    CHECK(static_cast<bool>(saveRecording(path, dir.file("other.3.ctr"))));
    CHECK(filesIn(dir) == files + 2);
}
