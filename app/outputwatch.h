// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Tells whether another program removed or moved an output file while it was written. Qt-free.
#pragma once

#include <string>

namespace ct {

class OutputWatch {
public:
    /// The file exists and is open for writing. Only a regular file is watched; any other is always in its place.
    explicit OutputWatch(std::string path);
    ~OutputWatch();
    OutputWatch(const OutputWatch &) = delete;
    OutputWatch &operator=(const OutputWatch &) = delete;

    struct Finding {
        std::string message;  ///< what the other program did; empty: nothing
        bool isLost = false;  ///< the file has no name any more, and its content goes with its last descriptor
    };
    Finding look() const;

private:
    const std::string m_path;
    int m_fd;  ///< without access: closing it frees no locks of the file
};

}  // namespace ct
