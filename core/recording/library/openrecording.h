// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens a recording of any format as a stream.
#pragma once

#include "core/recording/read/streamfile.h"
#include "core/recording/read/streamindex.h"

#include <memory>
#include <string>

namespace ct {

class FileGrowth;

/// Opens a recording: native if its first bytes or its name say so, else JSONL. `streamIndex` gets the blocks of a
/// native recording; for JSONL it is closed, because JSONL cannot restore evicted events. With `growth`, a
/// native recording that is being written is followed, see RecordingReader::open().
Result<std::unique_ptr<StreamFile>> openRecording(const std::string &path,
                                                  std::shared_ptr<StreamIndex> streamIndex = nullptr,
                                                  FileGrowth *growth = nullptr, OutputHandler handleOutput = nullptr,
                                                  ReadOptions options = {});

}  // namespace ct
