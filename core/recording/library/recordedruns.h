// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recordings in a directory. All segments of a recording are one run. Lists the runs, and removes the oldest ones.
#pragma once

#include "core/recording/library/recordingsummary.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace ct {

struct RecordedRun {
    enum class State {
        Complete,
        Recording,    ///< being written at present
        Interrupted,  ///< without an End block: the program was killed, or the disk was full
        Unreadable,
    };

    /// The name of the run: "…/x.ctr" for the segments "…/x.0.ctr", "…/x.1.ctr", ... If there is a file "…/x.ctr", too,
    /// it is another recording, and this is the path of the first segment.
    std::string path;
    std::vector<std::string> files;  ///< paths of all segments, in their order; never empty
    std::string name;                ///< name of the target in the file name; else the file name without its ending
    State state = State::Unreadable;
    bool isOpen = false;         ///< open in a window, perhaps while it is being written
    std::uint32_t segment = 0;   ///< number of the first file; not 0 = the beginning was removed
    std::uint64_t bytes = 0;     ///< size of all files
    std::uint64_t begun = 0;     ///< ns since 1970; for an unreadable run, when it was last written
    std::uint64_t duration = 0;  ///< ns since the beginning of the run, even if that was removed
    std::uint64_t events = 0;    ///< sum of RecordingSummary::transitions
    std::vector<std::string> command;
    std::string error;  ///< why one of its files is unreadable

    bool operator==(const RecordedRun &) const = default;
};

/// The result of freeSpace().
struct FreedSpace {
    std::size_t runs = 0;               ///< removed runs
    std::uint64_t bytes = 0;            ///< size of the removed runs
    std::uint64_t latest = 0;           ///< when the latest removed run began: ns since 1970
    std::vector<std::string> failures;  ///< runs that could not be removed, and why
};

/// Caches the summaries of files, and reads them again when a file changes. Not thread-safe: one thread at a time.
class RecordedRuns {
public:
    /// Lists the runs, latest first. A missing directory is empty.
    Result<std::vector<RecordedRun>> list(const std::string &directory);
    /// Removes runs of windows, oldest first, until all recordings in the directory have at most `most` bytes. Keeps
    /// runs that are being written or are open, and files that have no name of a window. Also removes empty segments
    /// that a killed window left.
    FreedSpace freeSpace(const std::string &directory, std::uint64_t most);

private:
    struct Seen {
        std::uint64_t inode = 0;
        std::uint64_t size = 0;
        std::int64_t changed = 0;  ///< ns since 1970: time of the latest change
        Result<RecordingSummary> summary = RecordingSummary();
        bool stillThere = false;
    };
    const Result<RecordingSummary> &summaryOf(const std::string &path, const struct stat &info);
    void describe(RecordedRun &run, std::uint64_t lastWritten);

    std::map<std::string, Seen> m_seen;
};

/// Removes all files of a RecordedRun::path. While the run is being written or is open in a window, returns an error
/// and removes nothing.
Result<void> removeRun(const std::string &path);

/// "2026-11-22T07.31.05-server.ctr" -> "server". Returns an empty text when no window made the name.
std::string targetInFileName(const std::string &path);

}  // namespace ct
