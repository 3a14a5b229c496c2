// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exporting/newfiles.h"

#include "core/databases/sqlite/databasefile.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/saverecording.h"

#include <utility>

namespace ct {

Result<NewFiles> NewFiles::prepare(const ExportFormat &format, const std::string &path)
{
    if (format.kind == kRecordingKind) {
        if (const Result<void> isFree = checkRecordingName(path); !isFree)
            return isFree.error();
    }
    if (format.isDatabase()) {
        if (const Result<void> settled = settleOldDatabase(path); !settled)
            return settled.error();
    }
    Result<ReplaceFile> events = ReplaceFile::prepare(path);
    if (!events)
        return events.error();
    NewFiles files(path, std::move(*events));
    files.m_isDatabase = format.isDatabase();
    files.m_causesPath = format.causesPath(path);
    if (files.m_causesPath.empty())
        return files;
    Result<ReplaceFile> causes = ReplaceFile::prepare(files.m_causesPath);
    if (!causes)
        return causes.error();
    files.m_causes.emplace(std::move(*causes));
    return files;
}

Result<std::shared_ptr<Sink>> NewFiles::makeSink(const ExportFormat &format, const ExportContext &context) const
{
    return format.make(m_events.temporaryPath(), m_causes ? m_causes->temporaryPath() : std::string(), context);
}

Error NewFiles::nothingWritten(const Error &error) const
{
    const bool isOfCauses = m_causes && error.message.find(m_causes->temporaryPath()) != std::string::npos;
    return isOfCauses ? ct::nothingWritten(error, m_causes->temporaryPath(), m_causesPath)
                      : ct::nothingWritten(error, m_events.temporaryPath(), m_path);
}

/// Renames the events last, because they make the export complete.
Result<void> NewFiles::commit(bool hasCauses)
{
    if (m_causes && hasCauses) {
        Result<void> replaced = checkNoOtherFile(m_causesPath);
        if (replaced)
            replaced = m_causes->commit();
        if (!replaced)
            return replaced;
    }
    Result<void> replaced = m_isDatabase ? removeOldDatabaseFiles(m_path) : Result<void>();
    if (replaced)
        replaced = m_events.commit();
    if (!replaced && m_causes && hasCauses)
        return Error{replaced.error().code, replaced.error().message + "; " + m_causesPath + " was already replaced"};
    if (replaced && m_causes && !hasCauses)
        removeOlderCauses(m_causesPath);
    return replaced;
}

}  // namespace ct
