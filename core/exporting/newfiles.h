// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The files of an export, under temporary names until they are complete.
#pragma once

#include "core/exporting/exportformat.h"
#include "core/exporting/replacefile.h"

#include <memory>
#include <optional>
#include <string>

namespace ct {

/// A second file has the causes, if the format needs one. Without commit(), both are removed.
class NewFiles {
public:
    static Result<NewFiles> prepare(const ExportFormat &format, const std::string &path);

    Result<std::shared_ptr<Sink>> makeSink(const ExportFormat &format, const ExportContext &context) const;
    /// Rewrites an error about one of the temporary files, as ct::nothingWritten() does.
    Error nothingWritten(const Error &error) const;
    /// Renames the files. Close the sink first. `hasCauses`: the second file is needed.
    Result<void> commit(bool hasCauses);
    /// The second file; empty: the format has none.
    std::string causesPath() const { return m_causes ? m_causesPath : std::string(); }

private:
    NewFiles(const std::string &path, ReplaceFile events) : m_path(path), m_events(std::move(events)) {}

    std::string m_path;
    bool m_isDatabase = false;
    std::string m_causesPath;
    ReplaceFile m_events;
    std::optional<ReplaceFile> m_causes;
};

}  // namespace ct
