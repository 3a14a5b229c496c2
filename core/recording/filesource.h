// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// A file that holds a decoded stream, of any format that can be opened.
#pragma once

#include "core/recording/frameplace.h"
#include "core/recording/recordinginfo.h"
#include "core/recording/streamplaces.h"
#include "core/trace/stream.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ct {

class FileGrowth;
namespace ctr {
struct OutputPiece;
}
/// What the target wrote to its terminal, as soon as its place in the file is reached; on the reader's thread.
using TakeOutput = std::function<void(const ctr::OutputPiece &)>;

/// What a file says beside the stream.
struct FileFacts {
    RecordingInfo info;              ///< all of it, up to here
    std::vector<FramePlace> frames;  ///< what is new; ids are those of the stream, whose births may come later
};

class FileSource {
public:
    virtual ~FileSource() = default;

    /// Replaces the content of `batch` with the next part of the stream; a batch may be empty. False at the end of the
    /// file. An error names the place, and comes only after everything that can be read was handed out.
    virtual Result<bool> next(Batch &batch) = 0;
    virtual double progress() const = 0;  ///< 0..1, by bytes
    virtual Accounting accounting() const = 0;
    /// False when nothing was said since the last call. Formats that say nothing never do.
    virtual bool takeFacts(FileFacts &) { return false; }
    /// At the end: whoever wrote it has ended it in order; true where that cannot be told.
    virtual bool hasEnded() const { return true; }
    /// At the end, beside the error: something within was left out, not only a part of a block behind the last one.
    virtual bool isDamaged() const { return false; }
};

/// A recording: .ctr by its first bytes or its name, else JSONL. `places`: told where the transitions are; of JSONL,
/// that nobody can tell. With `growth` a .ctr that somebody writes is followed, see RecordingReader::open().
Result<std::unique_ptr<FileSource>> openRecording(const std::string &path,
                                                  std::shared_ptr<StreamPlaces> places = nullptr,
                                                  FileGrowth *growth = nullptr, TakeOutput takeOutput = nullptr);

}  // namespace ct
