// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The output file of a trace viewer's format. Writes whole units, and keeps the first error.
#pragma once

#include "core/recording/text/lineoutput.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ct::viewers {

/// After an error, units are ignored, and the error is returned by flush() and close().
class UnitOutput {
public:
    explicit UnitOutput(std::unique_ptr<LineOutput> output) : m_output(std::move(output)) {}

    /// Returns room for a unit of at most `bytes` bytes, which end() adds to the file.
    char *begin(std::size_t bytes)
    {
        if (!m_error) {
            Result<char *> room = m_output->beginLine(bytes);
            if (room)
                return *room;
            m_error = room.error();
        }
        if (m_ignored.size() < bytes)
            m_ignored.resize(bytes);
        return m_ignored.data();
    }
    void end(const char *end, LineOutput::Counts counts = LineOutput::Counts::No)
    {
        if (!m_error)
            m_output->endLine(end, counts);
    }
    void put(std::string_view unit)
    {
        if (!unit.empty())
            end(ct::put(begin(unit.size()), unit));
    }

    /// Adds the unit, and writes what was collected if that is due. Does nothing after an error.
    Result<void> flushIfDue(std::uint64_t now) { return m_error ? *m_error : m_output->flushIfDue(now); }
    Result<void> close()
    {
        const Result<void> closed = m_output->close();
        return m_error ? *m_error : closed;
    }
    std::uint64_t written() const { return m_output->linesWritten(); }

private:
    std::unique_ptr<LineOutput> m_output;
    std::optional<Error> m_error;
    std::vector<char> m_ignored;
};

}  // namespace ct::viewers
