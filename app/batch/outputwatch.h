// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects that another program removed or moved an output file while it was written. Qt-free.
#pragma once

#include <string>

namespace ct {

class OutputWatch {
public:
    /// Requires a file that exists and is open for writing. Watches only regular files; for others, check() reports
    /// nothing.
    explicit OutputWatch(std::string path);
    ~OutputWatch();
    OutputWatch(const OutputWatch &) = delete;
    OutputWatch &operator=(const OutputWatch &) = delete;

    struct Finding {
        std::string message;  ///< what the other program did; empty: nothing
        bool isLost = false;  ///< the file has no name any more: its content disappears when it is closed
    };
    Finding check() const;

private:
    const std::string m_path;
    int m_fd;  ///< O_PATH descriptor, -1 = not watched; closing it frees no locks of the file
};

}  // namespace ct
