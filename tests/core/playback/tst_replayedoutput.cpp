// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recorded output for a window: in order, at its time, in bounded memory.
#include "core/playback/replayedoutput.h"

#include "tests/support/check.h"

using namespace ct;

namespace {

std::string textOf(const ReplayedOutput::DueOutput &taken)
{
    std::string text;
    for (const ctr::OutputPiece &piece : taken.pieces)
        text += piece.bytes;
    return text;
}

}  // namespace

CT_CASE(outputIsReturnedOnceDue)
{
    ReplayedOutput output;
    output.addPiece({10, "a"});
    output.addPiece({20, "b"});
    CHECK_EQUAL(textOf(output.takeDueOutput()), "");
    CHECK(output.pendingSince() == 10U);
    output.release(10);
    output.release(5);  // the time never goes back
    CHECK(output.pendingSince() == 20U);
    output.addPiece({8, "c"});  // late, but still behind earlier output
    CHECK_EQUAL(textOf(output.takeDueOutput()), "a");
    CHECK_EQUAL(textOf(output.takeDueOutput()), "");
    output.release(20);
    CHECK(!output.pendingSince());
    output.addPiece({19, "d"});  // due at once
    CHECK_EQUAL(textOf(output.takeDueOutput()), "bcd");
    output.release(ReplayedOutput::kAll);
    output.addPiece({ReplayedOutput::kAll, "e"});
    CHECK_EQUAL(textOf(output.takeDueOutput()), "e");
}

CT_CASE(countsDiscardedLines)
{
    const std::string lines(std::size_t{1} << 16, '\n');
    const auto bytesOf = [](const ReplayedOutput::DueOutput &taken) { return textOf(taken).size(); };
    for (const bool isDelayed : {false, true}) {
        ReplayedOutput output;
        if (!isDelayed)
            output.release(ReplayedOutput::kAll);
        for (std::uint64_t i = 0; i < 1000; ++i)
            output.addPiece({i + 1, lines});
        output.addPiece({1001, "the last one"});
        output.release(isDelayed ? 1001 : 0);
        const ReplayedOutput::DueOutput taken = output.takeDueOutput();
        CHECK(bytesOf(taken) > ReplayedOutput::kMostDue / 2 && bytesOf(taken) <= ReplayedOutput::kMostDue);
        CHECK_EQUAL(bytesOf(taken) - 12 + taken.linesLeftOut, 1000 * lines.size());
        CHECK_EQUAL(taken.pieces.back().bytes, "the last one");
        CHECK_EQUAL(output.takeDueOutput().linesLeftOut, 0U);
    }
    // Output that is not due yet has a larger limit.
    ReplayedOutput output;
    for (std::uint64_t i = 0; i < 1000; ++i)
        output.addPiece({i + 1, lines});
    std::size_t bytes = 0;
    std::uint64_t leftOut = 0;
    while (const auto pending = output.pendingSince()) {
        output.release(*pending);
        const ReplayedOutput::DueOutput taken = output.takeDueOutput();
        bytes += bytesOf(taken);
        leftOut += taken.linesLeftOut;
    }
    CHECK(bytes > ReplayedOutput::kMostPending / 2 && bytes <= ReplayedOutput::kMostPending);
    CHECK_EQUAL(bytes + leftOut, 1000 * lines.size());
}
