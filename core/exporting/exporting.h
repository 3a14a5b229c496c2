// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Exports: one file per format; a table names them, so that dialogs and the command line agree.
#pragma once

#include "core/exporting/addresslookup.h"
#include "core/recording/streamplaces.h"
#include "core/trace/history.h"
#include "core/trace/population.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ct {

struct ExportFormat {
    std::string_view name;       ///< "SQLite", for people
    std::string_view extension;  ///< "sqlite"
    /// A sink that writes `path` as the stream comes (batch mode) and makes it valid in finish(). An output that
    /// cannot be written is an error here, before any event; an existing file is replaced.
    /// `lookup`: what addresses without a site mean; may be null.
    Result<std::shared_ptr<Sink>> makeSink(const std::string &path, std::shared_ptr<AddressLookup> lookup = {}) const
    {
        return make(path, std::move(lookup));
    }
    Result<std::shared_ptr<Sink>> (*make)(const std::string &path, std::shared_ptr<AddressLookup> lookup);
};

/// Every format: JSONL, CSV, SQLite.
std::span<const ExportFormat> exportFormats();
/// By the ending of a path, letter case ignored; nullptr when none fits.
const ExportFormat *exportFormatFor(std::string_view path);

/// The one that a spreadsheet can open although targets chose the names in it, see makeSpreadsheetCsvWriter(). `format`
/// itself unless it is CSV.
const ExportFormat &forSpreadsheets(const ExportFormat &format);

/// Called now and then with 0..1; returning false cancels.
using ExportProgress = std::function<bool(double)>;

/// What an export holds, and what it could not hold.
struct ExportReport {
    std::uint64_t rows = 0;           ///< transitions written
    std::uint64_t coroutines = 0;     ///< coroutines in the file, with or without rows
    std::uint64_t lostEvents = 0;     ///< gaps inside the exported history: the target was faster than the capture
    std::uint64_t droppedEvents = 0;  ///< captured, but neither in memory (History's budget) nor recorded: not there
    std::uint64_t droppedNotes = 0;   ///< the same of wakes and waits-on; the latest of each coroutine are there
    std::uint64_t coroutinesNotKept = 0;  ///< further coroutines, of which there was no record (any more), and
    std::uint64_t eventsNotKept = 0;      ///< what was captured of them: not in the file either
};

/// Writes what the trace holds now to `path`, coroutine by coroutine, through a temporary file beside it, renamed at
/// the end; a cancelled or failed export leaves an existing file as it was. Any thread; the trace may grow meanwhile.
/// What memory has dropped comes from the recording that `places` is of, first and in the order of the stream; without
/// one, or where it has it no longer, the report says how much is missing.
/// `sums`: of the session, for what only it knows: untraced coroutines, records dropped, ... . `lookup`: as of
/// makeSink().
Result<ExportReport> exportTrace(const Population &population, const History &history, const ExportFormat &format,
                                 const std::string &path, const ExportProgress &progress, const Accounting &sums = {},
                                 std::shared_ptr<AddressLookup> lookup = {},
                                 std::shared_ptr<const StreamPlaces> places = {});

}  // namespace ct
