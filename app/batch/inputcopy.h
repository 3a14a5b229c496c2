// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An input as a file that can be read like a recording, and more than once: standard input, or what a region has.
#pragma once

#include "app/batch/console.h"
#include "app/commandline/commandline.h"
#include "core/base/result.h"

#include <memory>
#include <string>

namespace ct {

class InputCopy {
public:
    /// Standard input. A redirected file is used as it is. A pipe is copied to its end, into a file without a name in
    /// the folder of the first output, or else in the one for temporary files. A signal that asks for the end is an
    /// error.
    static Result<std::unique_ptr<InputCopy>> make(const CommandLine &line, Console &console);
    /// An empty file without a name, in the same folder. `input`: what the caller copies to it.
    static Result<std::unique_ptr<InputCopy>> makeEmpty(const CommandLine &line, const std::string &input);
    ~InputCopy();
    InputCopy(const InputCopy &) = delete;
    InputCopy &operator=(const InputCopy &) = delete;

    const std::string &path() const { return m_path; }  ///< valid in this process only
    const std::string &name() const { return m_name; }  ///< of the input, for messages
    /// Replaces the path in a message by the name.
    std::string named(std::string message) const;

private:
    InputCopy(int fd, std::string name);

    int m_fd;
    std::string m_name;
    std::string m_path;
};

}  // namespace ct
