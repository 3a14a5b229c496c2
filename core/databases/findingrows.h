// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of the tables `findings` and `finding_coroutines`.
#pragma once

#include "core/databases/changingrows.h"
#include "core/databases/rowstore.h"
#include "core/reporting/report.h"

namespace ct {

/// Adds all findings in the order of the report, numbered from 1. Leaves out coroutines that `stored` does not have,
/// because they are not selected.
Result<void> addFindingRows(RowStore &store, const Report &report, const ChangingRows &stored);

}  // namespace ct
