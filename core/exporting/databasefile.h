// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file of a SQLite database, before SQLite opens it and after it has closed it.
#pragma once

#include "core/result.h"

#include <string>

namespace ct {

/// The file of a database, claimed for us. SQLite opens it once more by its name: this one is to be closed after that
/// one, or the process loses the locks of both.
struct DatabaseFile {
    int fd = -1;
    bool created = false;  ///< to find out whether it can be written
};

/// Leaves what is in the file. An error when somebody else writes it, or has a transaction on it.
Result<DatabaseFile> openDatabaseFile(const std::string &path);

/// An error when another program has moved or removed the file: SQLite would open another one by this name.
Result<void> ensureInPlace(int fd, const std::string &path);

/// Replaces the content by nothing, which is a valid empty database, and removes what belonged to the old one
/// (of a link, what belonged to the file behind it).
Result<void> emptyDatabaseFile(int fd, const std::string &path);

/// Waits until the content has reached the disk, also if another program has moved the file. `path`: for messages.
Result<void> synchroniseDatabase(int fd, const std::string &path);

}  // namespace ct
