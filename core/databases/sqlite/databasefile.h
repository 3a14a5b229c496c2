// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The file of a SQLite database, before SQLite opens it and after SQLite has closed it.
#pragma once

#include "core/base/result.h"

#include <array>
#include <string>

namespace ct {

/// What SQLite appends to the path of a database for the names of its other files. For a link, it is the path of its
/// target.
inline constexpr std::array<const char *, 3> kOtherDatabaseFiles{"-journal", "-wal", "-shm"};

/// The name that opens the file `path` in SQLite, which reads a name such as file:a or :memory: in another way.
std::string sqliteName(const std::string &path);

/// The file of a database, claimed for this program. SQLite opens the file again by its name. Close `fd` only after
/// SQLite has closed its own descriptor, or the process loses the locks of both.
struct DatabaseFile {
    int fd = -1;
    bool created = false;  ///< by openDatabaseFile(), to test whether it can be written
};

/// Does not change the content. Returns an error if another program writes the file or has a transaction on it.
Result<DatabaseFile> openDatabaseFile(const std::string &path);

/// Returns an error if another program has moved or removed the file: SQLite would open another file by this name.
Result<void> ensureNotMoved(int fd, const std::string &path);

/// Truncates the file, which leaves a valid empty database, and removes the other files of the old database, next to
/// the target if the path is a link.
Result<void> emptyDatabaseFile(int fd, const std::string &path);

/// SQLite would apply the journal or the write-ahead log of an old database to a new one of that name. This completes
/// the old database and removes them; what it cannot complete stays. Returns an error if another program uses them.
Result<void> settleOldDatabase(const std::string &path);

/// Removes the other files of an old database, directly before a new one takes its name. Returns an error if another
/// program uses them.
Result<void> removeOldDatabaseFiles(const std::string &path);

/// Waits until the content is on the disk, even if another program has moved the file. `path`: for messages.
Result<void> synchroniseDatabase(int fd, const std::string &path);

}  // namespace ct
