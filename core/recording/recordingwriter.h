// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes the stream as a recording (.ctr), with what others know beside it. A Sink.
//
// A block goes into the file when it holds 65,536 transitions, much of anything else, or half a second of the stream: a
// killed recorder loses no more than a second. The file is begun with the first thing that is worth it.
//
// A recording with a limit is a row of files, of which the oldest ones go. Each begins with all that was said so far
// and with a keyframe, so that it can be read without those before it.
#pragma once

#include "core/recording/batchcodec.h"
#include "core/recording/filesink.h"
#include "core/recording/frameplace.h"
#include "core/recording/presentstate.h"
#include "core/recording/recordinginfo.h"
#include "core/recording/rotation.h"
#include "core/recording/streamplaces.h"
#include "core/trace/stream.h"

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
    /// Opens `path` for writing, or with limits the first of the files that it stands for; what it held stays until the
    /// first block.
    static Result<std::shared_ptr<RecordingWriter>> open(const std::string &path, const RecordingLimits &limits = {},
                                                         FileAccess access = FileAccess::ByUmask);
    ~RecordingWriter() override;  ///< writes what was consumed; without finish() there is no index

    /// The sums of the session, asked for with each block; on the thread of consume(). Set it before.
    void setSums(std::function<Accounting()> sums) { m_sums = std::move(sums); }
    /// Who is told where each block of the stream went, as soon as it is in the file. Set it before.
    void setPlaces(std::shared_ptr<StreamPlaces> places);
    /// What was learned of coroutines last: asked for in finish(), when the stream is whole. Set it before.
    void setLastFrames(std::function<std::vector<FramePlace>()> frames) { m_lastFrames = std::move(frames); }
    /// Where nothing has happened (no coroutine, no output) finish() leaves no file. Set it before.
    void discardIfEmpty() { m_discardsEmpty = true; }

    Result<void> consume(const Batch &batch) override;
    Result<void> finish(const Accounting &accounting) override;
    std::uint64_t written() const override { return m_inFile; }

    // Any thread, also while the others run. It goes into the file with the next consume() or with finish(); what
    // comes after that, or after an error, is dropped.

    void addInfo(const RecordingInfo &info);
    /// What the target wrote to its terminal, and when that was read (ns, CLOCK_MONOTONIC). While the disk takes
    /// nothing some 64 MiB wait; how many bytes are left out from then on is told in their place.
    void addOutput(std::uint64_t ts, std::string bytes);
    /// What was learned of coroutines; of each, what comes later counts. Ids are those of the stream. While the disk
    /// takes nothing 262,144 of them wait, of the rest the recording has the addresses alone.
    void addFrames(const std::vector<FramePlace> &frames);

private:
    struct WaitingOutput {
        std::vector<ctr::OutputPiece> pieces;
        std::size_t waiting = 0;      ///< bytes in them
        std::uint64_t leftOut = 0;    ///< bytes, after them
        std::uint64_t leftOutTs = 0;  ///< of the first of these

        bool isEmpty() const { return pieces.empty() && leftOut == 0; }
        void add(std::uint64_t ts, std::string bytes);
        std::vector<ctr::OutputPiece> take();  ///< with a notice of what was left out
    };

    explicit RecordingWriter(std::unique_ptr<ctr::Rotation> rotation, bool hasLimit);
    Result<void> take(const Batch &batch);
    Result<void> takeWhole(const Batch &batch);
    void add(const Batch &batch);
    Result<void> flush(std::uint64_t now);
    Result<void> writeStream(const std::optional<Accounting> &sums);
    Result<void> writeAside();
    Result<void> writeInfo(const RecordingInfo &info);
    Result<void> writeSaid();
    Result<void> writeOutputs(const std::vector<ctr::OutputPiece> &outputs);
    Result<void> writeFrames(const std::vector<FramePlace> &frames);
    void learn(const std::vector<FramePlace> &frames);
    Result<void> writeLearned();
    void forgetGone();
    Result<void> turn();
    Result<void> writeKeyframe();
    Result<void> complete(const Accounting &accounting);
    bool isDiscarded();
    void close();

    std::unique_ptr<ctr::Rotation> m_rotation;    ///< nullptr when it is over
    std::optional<ctr::PresentState> m_present;   ///< with limits only, and
    RecordingInfo m_said;                         ///< this: what the next segment repeats
    std::map<CoroutineId, FramePlace> m_learned;  ///< of those that did not die
    ctr::StreamEncoder m_stream;
    ctr::ColumnWriter m_payload;
    std::function<Accounting()> m_sums;
    std::function<std::vector<FramePlace>()> m_lastFrames;
    std::shared_ptr<StreamPlaces> m_places;
    std::uint64_t m_written = 0;      ///< transitions, those that were left out included
    std::uint64_t m_inFile = 0;       ///< of these, without those that were left out
    std::uint64_t m_leftOut = 0;      ///< of these, because the format cannot hold their numbers
    std::uint64_t m_leftOutHere = 0;  ///< since the latest block
    bool m_discardsEmpty = false;
    bool m_begun = false;  ///< something was worth a file

    std::mutex m_mutex;   ///< guards what follows; held for a copy at most
    bool m_over = false;  ///< failed, or finished
    std::vector<RecordingInfo> m_infos;
    WaitingOutput m_output;
    std::vector<FramePlace> m_frames;
};

}  // namespace ct
