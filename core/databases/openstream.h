// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Opens what the user chose as an input: a recording of any format, or a session in a database.
#pragma once

#include "core/recording/library/openrecording.h"

#include <memory>
#include <string>

namespace ct {

/// Returns true for an address of a server, and for a SQLite file.
bool isDatabase(const std::string &input);

/// Opens a session of a database or, like openRecording(), a recording. Evicted events cannot be restored from a
/// database, as from JSONL. Destroy the stream on the same thread.
Result<std::unique_ptr<StreamFile>> openStream(const std::string &input,
                                               std::shared_ptr<StreamIndex> streamIndex = nullptr,
                                               FileGrowth *growth = nullptr, OutputHandler handleOutput = nullptr,
                                               ReadOptions options = {});

}  // namespace ct
