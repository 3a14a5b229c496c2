// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens the user's input: a recording of any format, or a session in a database.
#pragma once

#include "core/recording/library/openrecording.h"

#include <memory>
#include <string>

namespace ct {

/// True for the address of a server, and for a SQLite file.
bool isDatabase(const std::string &input);

/// Opens a session of a database or, as openRecording() does, a recording. Like JSONL, a database cannot restore
/// evicted events. Destroy the stream on the same thread.
Result<std::unique_ptr<StreamFile>> openStream(const std::string &input,
                                               std::shared_ptr<StreamIndex> streamIndex = nullptr,
                                               FileGrowth *growth = nullptr, OutputHandler handleOutput = nullptr,
                                               ReadOptions options = {});

}  // namespace ct
