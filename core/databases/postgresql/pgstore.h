// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stores a session in a PostgreSQL database, next to others.
#pragma once

#include "core/databases/rowstore.h"
#include "core/databases/serveraddress.h"
#include "core/recording/read/streamfile.h"

#include <memory>
#include <string>

namespace ct {

/// Connects once to check the address; begin() connects again, on its own thread. The whole session is one transaction:
/// nothing of it is visible before publish(), which replaces the session with the same key. A killed export leaves
/// nothing.
Result<std::unique_ptr<RowStore>> makePgStore(const ServerAddress &address, IsCancelled isCancelled = {});

}  // namespace ct
