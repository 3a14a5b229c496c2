// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The recordings in a directory: a row of files is one run. What is there, and removing what is too much.
#pragma once

#include "core/recording/recordedfile.h"

#include <cstdint>
#include <map>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace ct {

struct RecordedRun {
    enum class State {
        Complete,
        Recording,    ///< somebody writes it at present
        Interrupted,  ///< without an end: the recorder was killed, or the disk was full
        Unreadable,
    };

    /// What its files are named after, "…/x.ctr" of "…/x.0.ctr" and more; where there is such a file as well, which
    /// is another recording then: its first file.
    std::string path;
    std::vector<std::string> files;  ///< in their order; never empty
    std::string name;                ///< of the target, as the file's name has it
    State state = State::Unreadable;
    bool isOpen = false;         ///< in a window, also where it is being recorded
    std::uint32_t segment = 0;   ///< of the first file: its beginning is gone unless it is 0
    std::uint64_t bytes = 0;     ///< of all files
    std::uint64_t begun = 0;     ///< ns since 1970; of what cannot be read, when it was written last
    std::uint64_t duration = 0;  ///< ns, from the beginning of the run, also where that is gone
    std::uint64_t events = 0;    ///< of its files, see RecordedFile::transitions
    std::vector<std::string> command;
    std::string error;  ///< why it is unreadable

    bool operator==(const RecordedRun &) const = default;
};

/// What makeRoom() has done.
struct RoomMade {
    std::size_t runs = 0;
    std::uint64_t bytes = 0;
    std::uint64_t latest = 0;           ///< when the latest of them began; ns since 1970
    std::vector<std::string> failures;  ///< what could not be removed, and why
};

/// Remembers what it has seen of files that do not change. One thread at a time.
class RecordedRuns {
public:
    /// Latest first. A directory that is not there is empty.
    Result<std::vector<RecordedRun>> look(const std::string &directory);
    /// Removes runs of windows, the oldest first, until all recordings there take `most` bytes or less. Never one that
    /// is written or open, nor one whose name is not of the kind that windows give.
    RoomMade makeRoom(const std::string &directory, std::uint64_t most);

private:
    struct Seen {
        std::uint64_t inode = 0;
        std::uint64_t size = 0;
        std::int64_t changed = 0;  ///< ns
        Result<RecordedFile> file = RecordedFile();
        bool stillThere = false;
    };
    const Result<RecordedFile> &glance(const std::string &path, const struct stat &info);
    void describe(RecordedRun &run, std::uint64_t lastWritten);

    std::map<std::string, Seen> m_seen;
};

/// All files of a RecordedRun::path. An error, and nothing has changed, while it is written or open in a window.
Result<void> removeRun(const std::string &path);

/// "2026-11-22T07.31.05-server.ctr": "server"; "": no name that a window gives.
std::string targetInFileName(const std::string &path);

}  // namespace ct
