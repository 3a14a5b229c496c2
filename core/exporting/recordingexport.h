// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports a stream as a native recording (.ctr).
#pragma once

#include "core/databases/exportcontext.h"

#include <memory>
#include <string>

namespace ct {

/// Makes a sink that adds the facts of `context.info` and the resolved addresses at the end, because the recording may
/// be read on a machine without the program. If they cannot be written, that is an error, as for the stream.
Result<std::shared_ptr<Sink>> makeRecordingExport(const std::string &path, const ExportContext &context);

}  // namespace ct
