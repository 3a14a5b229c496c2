// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A session in a PostgreSQL database, to be read.
#pragma once

#include "core/base/result.h"
#include "core/databases/reading/rowsource.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <memory>

namespace ct {

/// Reads the session that the address names, or else the one that was stored last. Destroy the source on the same
/// thread, because Qt wants that; other threads may read it in between. `isCancelled`: see ReadOptions.
Result<std::unique_ptr<RowSource>> openPgSource(const ServerAddress &address, IsCancelled isCancelled = {});

}  // namespace ct
