// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The second file of a CSV export: one row per cause, with the same columns for all kinds. docs/recording.md, "CSV".
#pragma once

#include "core/base/result.h"
#include "core/recording/text/lineoutput.h"
#include "core/stream/stream.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

/// Returns the path of the file of causes: "run.csv" -> "run.causes.csv". Empty for standard output, for other open
/// descriptors (see outputStreamNamed()), and for devices such as /dev/null.
std::string causesPathFor(const std::string &csvPath);

/// Returns an error if another program's file has this name: a regular file that does not begin like a file of causes.
/// It is never replaced, because the user did not choose the name.
Result<void> checkNoOtherFile(const std::string &causesPath);

/// Removes a regular file of causes that an older run left. Leaves files alone that do not begin like one, or that are
/// being written.
void removeOlderCauses(const std::string &causesPath);

/// Not thread-safe: one thread at a time.
class CsvCauses {
public:
    /// Creates the file with the first cause. `path`: empty = none. `siteTexts`: `,file,line,function` of each site, by
    /// SiteId; must outlive this object.
    CsvCauses(std::string path, const std::vector<std::string> &siteTexts)
        : m_path(std::move(path)), m_siteTexts(siteTexts)
    {
    }

    Result<void> consume(const Batch &batch);
    /// Completes the file. If there were no causes, removes the file of an older run.
    Result<void> finish();
    /// Writes all rows so far. Does nothing after an error.
    void flush()
    {
        if (m_output)
            (void)m_output->flush();
    }
    /// Rows in the file; valid also after an error.
    std::uint64_t written() const { return m_output ? m_output->linesWritten() : 0; }

private:
    struct Row;
    Result<void> open();
    Result<void> write(const Row &row);
    template <class Cause>
    Result<void> writeAll(const std::vector<Cause> &causes);

    const std::string m_path;
    const std::vector<std::string> &m_siteTexts;
    std::unique_ptr<LineOutput> m_output;  ///< nullptr: no cause so far
};

/// The first line of the file.
std::string_view csvCausesHeader();

}  // namespace ct
