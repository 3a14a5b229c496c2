// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads a native recording (.ctr) as a decoded stream, batch by batch as it was captured. The file is untrusted.
// Damaged blocks are left out and reported, and the rest keeps the rules of the stream.
//
// The reader reads all present segments of a recording, whichever of them is opened. If the first segments are gone,
// the stream begins with the coroutines of a keyframe. Coroutines are then numbered from 0 again.
#pragma once

#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/blockreader.h"
#include "core/recording/read/streamfile.h"
#include "core/recording/read/streamindex.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ct {

class RecordingReader final : public StreamFile {
public:
    static bool isRecording(const std::string &path);  ///< judges by the first bytes, or by the name
    static bool isWritten(const std::string &path);    ///< a writer has the file, or its latest segment, open
    /// Kept: frame locations wait for takeFacts(), which the caller must call. Ignored: they are only checked.
    enum class Frames { Kept, Ignored };
    /// With `growth`, which must outlive the reader, a recording that is being written is followed from segment to
    /// segment: open() and next() wait for more, see BlockReader::open().
    static Result<std::unique_ptr<RecordingReader>> open(const std::string &path, OutputHandler handleOutput = nullptr,
                                                         FileGrowth *growth = nullptr, Frames frames = Frames::Kept);
    ~RecordingReader() override;

    /// Sets the index that gets the blocks of all transitions from next(). Call it before the first next().
    void setStreamIndex(std::shared_ptr<StreamIndex> streamIndex);

    /// After the last batch, returns one error if anything was left out: how much, and where. If readAll() is false,
    /// the error ended the reading early.
    Result<bool> next(Batch &batch) override;
    bool readAll() const;  ///< next() has read everything readable, to the end of the last file
    double progress() const override;
    Accounting accounting() const override;
    bool takeFacts(FileFacts &facts) override;

    const RecordingInfo &info() const;  ///< everything read so far; after open(), the Infos before the stream
    const std::vector<ctr::Damage> &damages() const;
    bool hasEnded() const override;
    bool isDamaged() const override;

private:
    struct Data;
    explicit RecordingReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
