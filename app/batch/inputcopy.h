// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Standard input as a file, so that it can be read like a recording: in any format, and more than once.
#pragma once

#include "app/batch/console.h"
#include "app/commandline/commandline.h"
#include "core/base/result.h"

#include <memory>
#include <string>

namespace ct {

class InputCopy {
public:
    static constexpr const char *kName = "standard input";  ///< for messages

    /// A redirected file is used as it is. A pipe is copied to its end, into a file without a name in the folder of the
    /// first output, or else in the one for temporary files. A signal that asks for the end is an error.
    static Result<std::unique_ptr<InputCopy>> make(const CommandLine &line, Console &console);
    ~InputCopy();
    InputCopy(const InputCopy &) = delete;
    InputCopy &operator=(const InputCopy &) = delete;

    const std::string &path() const { return m_path; }  ///< valid in this process only
    /// Replaces the path in a message by kName.
    std::string named(std::string message) const;

private:
    explicit InputCopy(int fd);

    int m_fd;
    std::string m_path;
};

}  // namespace ct
