// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stores a session in a MariaDB or MySQL database, next to others.
#pragma once

#include "core/databases/rowstore.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <memory>

namespace ct {

/// Connects once to check the address; begin() connects again, on its thread. No view shows the session before
/// publish(), which replaces the session with the same key in one statement. A killed export leaves tables that no view
/// shows; the next export removes them. `isCancelled`: also ends a statement that the server is executing; asked on
/// any thread.
Result<std::unique_ptr<RowStore>> makeMysqlStore(const ServerAddress &address, IsCancelled isCancelled = {});

}  // namespace ct
