// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file of --baseline: known findings, as a report in JSON lists them.
#pragma once

#include "core/base/result.h"
#include "core/reporting/knownfindings.h"

#include <string>

namespace ct {

/// Returns the findings in the report. An error names the file and what is wrong with it.
Result<KnownFindings> readBaseline(const std::string &path);

}  // namespace ct
