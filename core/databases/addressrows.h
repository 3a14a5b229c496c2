// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of the table `addresses`.
#pragma once

#include "core/addresses/exportresolver.h"
#include "core/databases/rowstore.h"

namespace ct {

/// Adds one row for each function at the address, the innermost first, or one without a function.
Result<void> addAddressRows(RowStore &store, const EventAddress &address, const DescribedAddress &described);

}  // namespace ct
