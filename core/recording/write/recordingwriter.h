// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the stream as a native recording (.ctr), with facts about the run that are not in the stream. A Sink.
//
// A block is written when it has 65,536 transitions, many other rows, or half a second of the stream. So a killed
// program loses no more than a second. The first row or output begins the file.
//
// A recording with a limit is a sequence of segments, and the oldest ones are removed. Each begins with the Info so far
// and with a keyframe, so it can be read without the segments before it.
#pragma once

#include "core/recording/format/batchcodec.h"
#include "core/recording/format/recordinginfo.h"
#include "core/recording/read/streamindex.h"
#include "core/recording/write/filesink.h"
#include "core/recording/write/presentstate.h"
#include "core/recording/write/rotation.h"
#include "core/stream/framelocation.h"
#include "core/stream/stream.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ct {

class RecordingWriter final : public FileSink {
public:
    /// Opens `path` for writing, or its first segment if there are limits. Old content stays until the first block.
    static Result<std::shared_ptr<RecordingWriter>> open(const std::string &path, const RecordingLimits &limits = {},
                                                         FileAccess access = FileAccess::ByUmask);
    ~RecordingWriter() override;  ///< writes the consumed batches; without finish() there is no index

    // Call these before consume().

    /// Sets the function that returns the sums of the run. It is called for each block, on the thread of consume().
    void setSums(std::function<Accounting()> sums) { m_sums = std::move(sums); }
    /// Sets the index that gets each Stream block as soon as the block is in the file.
    void setStreamIndex(std::shared_ptr<StreamIndex> streamIndex);
    /// Sets the function that returns the latest frame locations. finish() calls it, when the stream is complete.
    void setLastFrames(std::function<std::vector<FrameLocation>()> frames) { m_lastFrames = std::move(frames); }
    /// Makes finish() leave no file when the stream had no row and the target no output.
    void discardIfEmpty() { m_discardsEmpty = true; }

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;
    std::uint64_t written() const override { return m_inFile; }

    // Any thread may call these, also during consume() and finish(). The data goes into the file with the next
    // consume() or with finish(). Data that comes after finish() or after an error is discarded.

    void addInfo(const RecordingInfo &info);
    /// Adds output of the target, and when it was read (ns, CLOCK_MONOTONIC). Up to 64 MiB wait while the disk accepts
    /// no data. Later output is left out, and a row with the number of bytes replaces it.
    void addOutput(std::uint64_t ts, std::string bytes);
    /// Adds frame locations, with the ids of the stream. The latest about a coroutine counts. Up to 262,144 wait while
    /// the disk accepts no data. Later ones are left out; the recording then only has the addresses.
    void addFrames(const std::vector<FrameLocation> &frames);

private:
    struct WaitingOutput {
        std::vector<ctr::OutputPiece> pieces;
        std::size_t waiting = 0;      ///< bytes in `pieces`
        std::uint64_t leftOut = 0;    ///< bytes left out behind `pieces`
        std::uint64_t leftOutTs = 0;  ///< ns, CLOCK_MONOTONIC: when the first of these were read

        bool isEmpty() const { return pieces.empty() && leftOut == 0; }
        void addPiece(std::uint64_t ts, std::string bytes);
        /// Moves the pieces out, with a notice about the rest.
        std::vector<ctr::OutputPiece> takePieces();
    };

    explicit RecordingWriter(std::unique_ptr<ctr::Rotation> rotation, bool hasLimit);
    Result<void> append(const Batch &batch);
    Result<void> addInPieces(const Batch &batch);
    void addToBlock(const Batch &batch);
    Result<void> flush(std::uint64_t now);
    Result<void> writeStream(const std::optional<Accounting> &sums);
    Result<void> writeAside();
    Result<void> writeInfo(const RecordingInfo &info);
    Result<void> writeRepeatedInfo();
    Result<void> writeOutputs(const std::vector<ctr::OutputPiece> &outputs);
    Result<void> writeFrames(const std::vector<FrameLocation> &frames);
    void updateLatestFrames(const std::vector<FrameLocation> &frames);
    Result<void> writeLatestFrames();
    void removeEndedProcesses();
    Result<void> turn();
    Result<void> writeKeyframe();
    Result<void> complete(const Accounting &accounting);
    bool isDiscarded();
    void close();

    std::unique_ptr<ctr::Rotation> m_rotation;            ///< nullptr after the end or an error
    std::optional<ctr::PresentState> m_present;           ///< only with limits
    RecordingInfo m_repeatedInfo;                         ///< only with limits: the Info that the next segment repeats
    std::map<CoroutineId, FrameLocation> m_latestFrames;  ///< only with limits: for the next segment
    ctr::StreamEncoder m_stream;
    ctr::ColumnWriter m_payload;
    std::function<Accounting()> m_sums;
    std::function<std::vector<FrameLocation>()> m_lastFrames;
    std::shared_ptr<StreamIndex> m_streamIndex;
    std::uint64_t m_written = 0;      ///< transitions in blocks, and those left out before the latest one
    std::uint64_t m_inFile = 0;       ///< transitions in the file
    std::uint64_t m_leftOut = 0;      ///< transitions left out, because the format cannot hold their numbers
    std::uint64_t m_leftOutHere = 0;  ///< transitions left out since the latest block
    bool m_discardsEmpty = false;
    bool m_begun = false;  ///< there was a row or output, so the file is written

    std::mutex m_mutex;   ///< guards the members below; locked for one copy at most
    bool m_over = false;  ///< failed, or finished
    std::vector<RecordingInfo> m_infos;
    WaitingOutput m_output;
    std::vector<FrameLocation> m_frames;
};

}  // namespace ct
