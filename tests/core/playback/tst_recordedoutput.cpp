// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recorded output for a window: in order, at its time, in bounded memory.
#include "core/playback/recordedoutput.h"

#include "tests/support/check.h"

using namespace ct;

namespace {

std::string textOf(const RecordedOutput::Taken &taken)
{
    std::string text;
    for (const ctr::OutputPiece &piece : taken.pieces)
        text += piece.bytes;
    return text;
}

}  // namespace

CT_CASE(isReleasedAtItsTime)
{
    RecordedOutput output;
    output.add({10, "a"});
    output.add({20, "b"});
    CHECK_EQUAL(textOf(output.take()), "");
    CHECK(output.pendingSince() == 10U);
    output.release(10);
    output.release(5);  // the time never goes back
    CHECK(output.pendingSince() == 20U);
    output.add({8, "c"});  // late, but still behind earlier output
    CHECK_EQUAL(textOf(output.take()), "a");
    CHECK_EQUAL(textOf(output.take()), "");
    output.release(20);
    CHECK(!output.pendingSince());
    output.add({19, "d"});  // due at once
    CHECK_EQUAL(textOf(output.take()), "bcd");
    output.release(RecordedOutput::kAll);
    output.add({RecordedOutput::kAll, "e"});
    CHECK_EQUAL(textOf(output.take()), "e");
}

CT_CASE(countsDiscardedLines)
{
    const std::string lines(std::size_t{1} << 16, '\n');
    const auto bytesOf = [](const RecordedOutput::Taken &taken) { return textOf(taken).size(); };
    for (const bool isDelayed : {false, true}) {
        RecordedOutput output;
        if (!isDelayed)
            output.release(RecordedOutput::kAll);
        for (std::uint64_t i = 0; i < 1000; ++i)
            output.add({i + 1, lines});
        output.add({1001, "the last one"});
        output.release(isDelayed ? 1001 : 0);
        const RecordedOutput::Taken taken = output.take();
        CHECK(bytesOf(taken) > RecordedOutput::kMostDue / 2 && bytesOf(taken) <= RecordedOutput::kMostDue);
        CHECK_EQUAL(bytesOf(taken) - 12 + taken.linesLeftOut, 1000 * lines.size());
        CHECK_EQUAL(taken.pieces.back().bytes, "the last one");
        CHECK_EQUAL(output.take().linesLeftOut, 0U);
    }
    // Output that is not due yet has a larger limit.
    RecordedOutput output;
    for (std::uint64_t i = 0; i < 1000; ++i)
        output.add({i + 1, lines});
    std::size_t bytes = 0;
    std::uint64_t leftOut = 0;
    while (const auto pending = output.pendingSince()) {
        output.release(*pending);
        const RecordedOutput::Taken taken = output.take();
        bytes += bytesOf(taken);
        leftOut += taken.linesLeftOut;
    }
    CHECK(bytes > RecordedOutput::kMostPending / 2 && bytes <= RecordedOutput::kMostPending);
    CHECK_EQUAL(bytes + leftOut, 1000 * lines.size());
}
