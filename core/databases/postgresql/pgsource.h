// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a session in a PostgreSQL database.
#pragma once

#include "core/base/result.h"
#include "core/databases/reading/rowsource.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <memory>

namespace ct {

/// Opens the session that the address names, or else the one that was stored last. Destroy the source on the same
/// thread, as Qt requires; other threads may read it in between. `isCancelled`: see ReadOptions.
Result<std::unique_ptr<RowSource>> openPgSource(const ServerAddress &address, IsCancelled isCancelled = {});

}  // namespace ct
