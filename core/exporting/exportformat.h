// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The formats of exports, for dialogs and the command line: a table.
#pragma once

#include "core/base/fileending.h"
#include "core/databases/exportcontext.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ct {

/// The kind of the format of recordings.
inline constexpr std::string_view kRecordingKind = "ctr";

struct ExportFormat {
    std::string_view kind;       ///< for the command line, in lower case: "sqlite"
    std::string_view name;       ///< for display: "SQLite"
    std::string_view extension;  ///< "sqlite"; empty for servers
    /// The output is a session on a server, and `path` its address (core/databases/serveraddress.h).
    bool isOfServer() const { return extension.empty(); }
    bool isDatabase() const { return isOfServer() || extension == "sqlite"; }
    /// A recording has no marks for events that a selection leaves out: they would look lost.
    bool allowsSelections() const { return kind != kRecordingKind; }
    /// Makes a sink that writes `path` during the stream (batch mode) and makes it valid in finish(). If the output
    /// cannot be written, the error is returned here, before any event. Replaces an existing file.
    Result<std::shared_ptr<Sink>> makeSink(const std::string &path, const ExportContext &context = {}) const
    {
        return make(path, causesPath(path), context);
    }
    /// True if the name promises a compressed file, but the format has none.
    bool isMisnamed(std::string_view path) const { return !isText && withoutPacking(path).size() != path.size(); }
    /// Returns the path of a second file for the causes of `path`; empty: the format has none.
    std::string causesPath(const std::string &path) const { return causesPathOf ? causesPathOf(path) : std::string(); }

    Result<std::shared_ptr<Sink>> (*make)(const std::string &path, const std::string &causesPath,
                                          const ExportContext &context);
    std::string (*causesPathOf)(const std::string &path) = nullptr;
    bool isText = false;  ///< a name that ends in .gz or .zst after the extension makes a compressed file
};

/// Every format of files: JSONL, CSV, SQLite, Perfetto, Chrome trace, recording.
std::span<const ExportFormat> exportFormats();
/// Finds a format by the ending of a path, ignoring letter case, or by the address of a server; nullptr if none fits.
const ExportFormat *exportFormatFor(std::string_view path);
/// Finds a format by its kind; nullptr if none has it.
const ExportFormat *exportFormatOfKind(std::string_view kind);

/// The variant of CSV that is safe to open in a spreadsheet, see makeSpreadsheetCsvWriter(). Other formats are returned
/// as they are.
const ExportFormat &forSpreadsheets(const ExportFormat &format);

}  // namespace ct
