// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface to a database that stores the rows of one session.
#pragma once

#include "core/base/result.h"
#include "core/databases/row.h"
#include "core/databases/schema.h"

#include <functional>
#include <string>

namespace ct {

/// Construct it on any thread; from begin() on, use it on one thread. Without publish(), only what commit() made
/// visible stays.
class RowStore {
public:
    virtual ~RowStore() = default;

    /// Creates the tables. Call it once, before the first row.
    virtual Result<void> begin() = 0;
    /// Adds a row, or replaces the one with the same key. Between two commits, add each key at most once. An error of
    /// add() or commit() removes the rows since the latest commit.
    virtual Result<void> add(Table table, const Row &row) = 0;
    /// True if commit() makes rows visible to other programs. Otherwise nothing is visible before publish().
    virtual bool growsVisibly() const = 0;
    virtual Result<void> commit() = 0;
    /// Runs `write`, one of the last parts of a session. If it fails and the store grows visibly, earlier parts stay.
    /// `content`: what an error reports about the content, a sentence without a full stop.
    virtual Result<void> writePart(const std::string &content, const std::function<Result<void>()> &write) = 0;
    /// Creates the indexes and completes the session. Only close() may follow. `sessionKey`: a store of many sessions
    /// replaces the one with this key; empty: adds a session.
    virtual Result<void> publish(const std::string &sessionKey) = 0;
    /// After publish(), for the user: what else it changed in the database. Empty: nothing.
    virtual std::string remark() const { return {}; }
    /// Releases the database. Returns when the content is on the disk.
    virtual Result<void> close() = 0;
};

}  // namespace ct
