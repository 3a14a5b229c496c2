// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Reads the note lines of a JSONL recording: docs/recording.md, "Note lines". A line of an unknown kind is skipped.
#pragma once

#include "core/recording/text/coroutinesums.h"
#include "core/recording/text/jsonlfields.h"
#include "core/stream/stream.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

class JsonlNoteReader {
public:
    /// The coroutines and sites of the file, and the batch to which notes are added.
    class Target {
    public:
        virtual ~Target() = default;
        virtual Batch &batch() = 0;
        /// Returns the coroutine with an id of the file, or kNoCoroutine if no earlier line names it.
        virtual CoroutineId coroutineOf(std::uint64_t fileId) = 0;
        /// Returns the id of the site with these texts and numbers; site.id is not used.
        virtual SiteId siteOf(const Site &site) = 0;
        /// `birth.coroutine` is the id of the file.
        virtual void addBirth(const Birth &birth) = 0;
        virtual void addDeath(const Death &death) = 0;
        /// `gap.coroutine` is the id of the file.
        virtual void addGap(const CoroutineSums::EndGap &gap) = 0;
    };
    explicit JsonlNoteReader(Target &target) : m_target(target) {}

    /// Adds the note of a line. Returns an empty text, or the problem in words for the user. Skips notes about unknown
    /// coroutines. `text` is untrusted.
    std::string read(std::string_view text);
    /// After read(): time of the note, ns, CLOCK_MONOTONIC; 0 = it has none.
    std::uint64_t ts() const { return m_ts; }
    /// After read(): a process has ended. Its pid may be used again, so following notes need another batch.
    bool isProcessEnd() const { return m_isProcessEnd; }

private:
    class Visit;
    template <class Row>
    std::string readRow(Row &row, bool &isComplete);
    template <class Row>
    std::string add(std::vector<Row> &rows);
    std::string readBirth();
    std::string readDeath();
    std::string readGap();

    Target &m_target;
    JsonlFields m_fields;
    std::uint64_t m_ts = 0;
    bool m_isProcessEnd = false;
};

}  // namespace ct
