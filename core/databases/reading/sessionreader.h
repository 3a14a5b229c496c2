// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads a session of a database as a decoded stream: docs/interchange.md, "Open from a database". The database is
// untrusted: contradictory rows end the reading with an error.
//
// Batches alternate: one with all rows of a position, then one with the events up to the next position that has
// rows.
#pragma once

#include "core/databases/reading/rowsource.h"
#include "core/recording/read/streamfile.h"

#include <memory>

namespace ct {

class SessionReader final : public StreamFile {
public:
    /// Returns an error if the database has no session that this program can read.
    static Result<std::unique_ptr<SessionReader>> open(std::unique_ptr<RowSource> source);
    ~SessionReader() override;

    /// While the addresses are read, at the beginning, returns empty batches.
    Result<bool> next(Batch &batch) override;
    double progress() const override;  ///< by events
    Accounting accounting() const override;
    /// The facts of the run, and the locations of its addresses.
    bool takeFacts(FileFacts &facts) override;
    /// False: the export was interrupted, or was of a part of a run, or the reading has failed.
    bool hasEnded() const override;
    bool isDamaged() const override;

private:
    struct Data;
    explicit SessionReader(std::unique_ptr<Data> data);
    std::unique_ptr<Data> m_data;
};

}  // namespace ct
