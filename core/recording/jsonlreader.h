// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a JSONL recording, ours or the existing collector's (first six fields only), into the decoded stream. A file of
// any size: one chunk is in memory at a time. The file is untrusted; unknown fields are skipped.
//
// Coroutines are told apart by `coroutine` where the lines have it, else by `probe_id`; a probe_id whose event numbers
// start again is a new coroutine. Lines without `n` are ordered and numbered, see eventnumbering.h. Ids of coroutines
// and sites are given anew, in order of appearance.
//
// Losses: a jump in the numbers is lost, save for what the line declares as missed before the attach or dropped from
// the file (the latter appears as a jump without a Loss); an undeclared jump in front of a coroutine's first line was
// missed before the recording began.
//
// JSONL holds no deaths: a coroutine whose last line is not its final suspension stays in the state of that line.
#pragma once

#include "core/recording/filesource.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ct {

class JsonlReader final : public FileSource {
public:
    static Result<std::unique_ptr<JsonlReader>> open(const std::string &path);
    ~JsonlReader() override;

    /// Replaces the content of `batch` with the next few thousand transitions; a batch may be empty. False at the end
    /// of the file. An error names the line, and comes only after everything before that line was handed out; a last
    /// line that is cut off is such an error. (A whole last line without its line feed is none.)
    Result<bool> next(Batch &batch) override;
    double progress() const override;
    Accounting accounting() const override;

private:
    struct Data;
    explicit JsonlReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
