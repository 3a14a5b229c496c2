// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the stores of servers share: their errors say what is in the database.
#pragma once

#include "core/base/result.h"

namespace ct {

/// For an error before the statement that makes the session visible, or one that the server has answered with.
Error nothingStored(Error error);
/// For an error after that statement was sent: its answer is missing.
Error perhapsStored(Error error);
/// As nothingStored().
Result<void> orNothingStored(Result<void> done);

}  // namespace ct
