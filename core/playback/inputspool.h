// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stores the data from standard input, or another descriptor, in a file. Receiving does not wait for the display, and
// the file is a recording like others afterwards. A FileLoader follows the file while it grows.
#pragma once

#include "core/base/result.h"
#include "core/recording/write/appendfile.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ct {

/// Methods: the owner's thread. A thread of the spool reads the input and writes the file.
class InputSpool {
public:
    enum class End {
        None,         ///< not yet
        Closed,       ///< the input ended; the file shows whether the recording is complete
        Stopped,      ///< by stop()
        NoRecording,  ///< message() quotes the input; no file was kept
        Failed,       ///< the file or the input failed; data received before are in the file
    };

    /// Returns standard input as another descriptor. Replaces it with /dev/null for this process and its children.
    static Result<int> detachStandardInput();
    /// Owns the descriptor from here on, also after an error. Creates `path`.
    static Result<std::unique_ptr<InputSpool>> start(int input, const std::string &path);
    ~InputSpool();  ///< stops, and waits
    InputSpool(const InputSpool &) = delete;
    InputSpool &operator=(const InputSpool &) = delete;

    /// Ends the reading and closes the input: its writer gets a broken pipe. Does not wait for that.
    void stop();

    const std::string &path() const { return m_path; }
    /// Set before the file is released, so a reader that has followed the file to its end sees the result.
    End endOfInput() const;
    /// One sentence, for NoRecording and Failed.
    std::string message() const;

private:
    InputSpool(int input, int wake, std::unique_ptr<AppendFile> file, std::string path);
    void run();
    bool awaitInput(int timeoutMs);
    End spool(std::string &message);
    End refuse(std::string begun, std::string &message);
    long readSome(char *to, std::size_t bytes, std::string &message);

    const std::string m_path;
    int m_input;       ///< used by the thread only
    const int m_wake;  ///< eventfd that wakes the thread
    std::unique_ptr<AppendFile> m_file;
    std::atomic<bool> m_stopped = false;  // relaxed: m_wake wakes the thread that loads it
    mutable std::mutex m_mutex;
    End m_end = End::None;
    std::string m_message;
    std::thread m_thread;
};

/// Quotes the first line of input that is no recording, for a message. Escapes what cannot be printed, and cuts off
/// long lines.
std::string quotedLine(const std::string &bytes);

}  // namespace ct
