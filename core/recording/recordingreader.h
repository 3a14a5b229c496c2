// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
//
// Reads a recording (.ctr) into the decoded stream, batch by batch as it was captured. The file is untrusted: what is
// damaged is left out with its block and told; what comes out keeps the rules of the stream.
//
// Of a recording that was rotated all files that are still there are read, whichever is opened. Where the first ones
// are gone, it begins with what lived then: coroutines are numbered from 0 again.
#pragma once

#include "core/recording/blockreader.h"
#include "core/recording/filesource.h"
#include "core/recording/recordinginfo.h"
#include "core/recording/streamplaces.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ct {

class RecordingReader final : public FileSource {
public:
    static bool isRecording(const std::string &path);  ///< by its first bytes, or its name
    static bool isWritten(const std::string &path);    ///< at present, by this program: it, or the latest of its files
    /// What is said of coroutines' frames: kept for takeFacts(), which somebody has to call then, or only checked.
    enum class Frames { Kept, Ignored };
    /// With `growth` (which outlives the reader) a recording that somebody writes is followed, from file to file:
    /// this and next() wait for more, see BlockReader::open().
    static Result<std::unique_ptr<RecordingReader>> open(const std::string &path, TakeOutput takeOutput = nullptr,
                                                         FileGrowth *growth = nullptr, Frames frames = Frames::Kept);
    ~RecordingReader() override;

    /// Who is told where the transitions that next() gives are. Set it before the first next().
    void setPlaces(std::shared_ptr<StreamPlaces> places);

    /// After the last batch an error, if anything was left out: how much, and where. readAll() tells it from one that
    /// ends the reading before the end.
    Result<bool> next(Batch &batch) override;
    bool readAll() const;  ///< next() has read whatever can be, to the end of the last file
    double progress() const override;
    Accounting accounting() const override;
    bool takeFacts(FileFacts &facts) override;

    const RecordingInfo &info() const;  ///< what was said up to here; at the beginning, what stands before the stream
    const std::vector<ctr::Damage> &damages() const;
    bool hasEnded() const override;
    bool isDamaged() const override;

private:
    struct Data;
    explicit RecordingReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
