// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// The interface of files that hold a decoded stream, in any format that the program can open.
#pragma once

#include "core/recording/format/recordinginfo.h"
#include "core/stream/framelocation.h"
#include "core/stream/stream.h"

#include <functional>
#include <string>
#include <vector>

namespace ct {

namespace ctr {
struct OutputPiece;
}
/// Receives output of the target when the reader reaches it in the file. Called on the reader's thread.
using OutputHandler = std::function<void(const ctr::OutputPiece &)>;

/// Facts in a file that are not part of the stream.
struct FileFacts {
    RecordingInfo info;                 ///< everything that was read so far
    std::vector<FrameLocation> frames;  ///< new since the last call, with ids of the stream; births may come later
    std::uint64_t notSelected = 0;      ///< so far: events that a selection left out, and which leave gaps
};

/// Called while something waits for a server or a database; true ends the wait with an error. On the thread that
/// waits.
using IsCancelled = std::function<bool()>;

/// Choices of the user for reading a file. Native recordings are read in the same way with all of them.
struct ReadOptions {
    /// Bad lines of a JSONL recording are skipped and counted. Otherwise the first one ends reading.
    bool lenient = false;
    /// Databases only.
    IsCancelled isCancelled{};
    /// The option of the program that sets `lenient`, for errors about bad lines; empty: there is none.
    std::string lenientOption{};
};

class StreamFile {
public:
    virtual ~StreamFile() = default;

    /// Replaces the content of `batch` with the next part of the stream; a batch may be empty. Returns false at the end
    /// of the file. An error says where it is, and comes only after everything readable was emitted.
    virtual Result<bool> next(Batch &batch) = 0;
    virtual double progress() const = 0;  ///< 0..1, by bytes
    virtual Accounting accounting() const = 0;
    /// Returns false when there are no new facts since the last call. Some formats have no facts.
    virtual bool takeFacts(FileFacts &) { return false; }
    /// Valid at the end: whether the writer ended the file in order. True for formats without an end mark.
    virtual bool hasEnded() const { return true; }
    /// Valid at the end: whether a part in the middle was left out, not only an incomplete block at the end.
    virtual bool isDamaged() const { return false; }
};

}  // namespace ct
