// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface of a database that the rows of one session go to.
#pragma once

#include "core/base/result.h"
#include "core/databases/row.h"
#include "core/databases/schema.h"

#include <functional>
#include <string>

namespace ct {

/// Made on any thread; then used on one thread, from begin() on. Destruction without publish() leaves what commit() has
/// made visible.
class RowStore {
public:
    virtual ~RowStore() = default;

    /// Makes the tables. Call it once, before the first row.
    virtual Result<void> begin() = 0;
    /// Adds a row. It replaces a row with the same key. Between two commits, each key comes once.
    virtual Result<void> add(Table table, const Row &row) = 0;
    /// True if commit() makes rows visible to other programs. Otherwise nothing is visible before publish().
    virtual bool growsVisibly() const = 0;
    virtual Result<void> commit() = 0;
    /// Runs a part of the end. After an error, the parts before it stay, if the store grows visibly. `content`: what
    /// the error reports about the content, a sentence without its full stop.
    virtual Result<void> writePart(const std::string &content, const std::function<Result<void>()> &write) = 0;
    /// Makes the indexes and completes the session. Call it last. Nothing follows it but close(). `sessionKey`: a store
    /// of many sessions replaces the one with the same key; empty: a new one.
    virtual Result<void> publish(const std::string &sessionKey) = 0;
    /// Releases the database, and waits until the content is safe.
    virtual Result<void> close() = 0;
};

}  // namespace ct
