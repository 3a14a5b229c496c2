// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a JSONL recording, ours or the existing collector's (first six fields only), into the decoded stream.
#pragma once

#include "core/trace/stream.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ct {

class JsonlReader {
public:
    static Result<std::unique_ptr<JsonlReader>> open(const std::string &path);
    ~JsonlReader();

    /// Fills `batch` with the next few thousand transitions. False at the end of the file. An error names the line;
    /// what was read before stays valid, and a last line without its end is reported, not swallowed.
    Result<bool> next(Batch &batch);
    double progress() const;  ///< 0..1, by bytes
    Accounting accounting() const;

private:
    struct Data;
    explicit JsonlReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
