// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a JSONL recording as a decoded stream: one of this program, or one of the existing collector, which has only
// the first six fields. The file can have any size; one chunk is in memory at a time. It is untrusted. Unknown fields
// are skipped.
//
// The field `coroutine` identifies the coroutine of a line, within one run. Without it, `probe_id` does, and a probe_id
// whose event numbers start again is a new coroutine. Lines without `n` are ordered and numbered, see eventnumbering.h.
// Coroutines and sites get new ids, in order of appearance.
//
// Events that a jump in the numbers leaves out are lost, unless the line declares them as missed (`missed_before`) or
// as unexplained (`dropped_before`). Unexplained events appear as a jump without a Loss. If a coroutine's first line
// follows an undeclared jump, these events were missed.
//
// Several runs may follow one another in a file: the existing collector appends to its file, and files can be joined.
// A coroutine whose number or first events come again is a new one, so the coroutines of all runs stay apart.
//
// Note lines give the causes, names, processes and deaths. Files of the existing collector have none: there, a
// coroutine whose last line is not its final suspension stays in the state of that line.
#pragma once

#include "core/recording/read/streamfile.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ct {

class JsonlReader final : public StreamFile {
public:
    static Result<std::unique_ptr<JsonlReader>> open(const std::string &path, ReadOptions options = {});
    ~JsonlReader() override;

    /// Replaces the content of `batch` with the next few thousand transitions; a batch may be empty. Returns false at
    /// the end of the file. An error contains the number of the line, and comes after everything before that line. A
    /// last line that is cut off is an error; a complete last line without a line feed is not. With
    /// ReadOptions::lenient, the error at the end says how many lines were skipped, and which one was the first.
    Result<bool> next(Batch &batch) override;
    double progress() const override;
    Accounting accounting() const override;
    bool isDamaged() const override;
    /// The locations that the file's writer resolved from addresses. They are not sites.
    bool takeFacts(FileFacts &facts) override;

private:
    struct Data;
    explicit JsonlReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
