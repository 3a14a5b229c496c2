// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Keeps what arrives on standard input, or another descriptor, in a file: so that what is received does not wait for
// what is shown, and is a recording like others afterwards. The file is followed (FileLoader) while it grows.
#pragma once

#include "core/recording/appendfile.h"
#include "core/result.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ct {

/// Methods: one thread, the owner's. The input is read and the file written on a thread of the spool's own.
class InputSpool {
public:
    enum class End {
        None,         ///< not yet
        Closed,       ///< there is no more: whether that is all, the file tells
        Stopped,      ///< by stop()
        NoRecording,  ///< message() names what came instead; nothing was kept
        Failed,       ///< the file or the input; what was received before is there
    };

    /// Standard input, taken away from this process and those it starts.
    static Result<int> takeStandardInput();
    /// Takes the descriptor over, and creates `path`.
    static Result<std::unique_ptr<InputSpool>> begin(int input, const std::string &path);
    ~InputSpool();  ///< stops, and waits
    InputSpool(const InputSpool &) = delete;
    InputSpool &operator=(const InputSpool &) = delete;

    /// Closes the input at once: whoever writes there gets a broken pipe.
    void stop();

    const std::string &path() const { return m_path; }
    /// Settled before the file is let go of, so that whoever follows it to its end knows this, too.
    End end() const;
    /// Of NoRecording and Failed: one sentence.
    std::string message() const;
    std::uint64_t received() const { return m_received.load(std::memory_order_relaxed); }  ///< bytes

private:
    InputSpool(int input, int wake, std::unique_ptr<AppendFile> file, std::string path);
    void run();
    bool awaitInput(int timeoutMs);
    End spool(std::string &message);
    End refuse(std::string begun, std::string &message);
    long readSome(char *to, std::size_t bytes, std::string &message);

    const std::string m_path;
    int m_input;       ///< the thread's
    const int m_wake;  ///< eventfd
    std::unique_ptr<AppendFile> m_file;
    std::atomic<bool> m_stopped = false;        // relaxed: m_wake wakes whoever waits
    std::atomic<std::uint64_t> m_received = 0;  // relaxed: a figure for people
    mutable std::mutex m_mutex;
    End m_end = End::None;
    std::string m_message;
    std::thread m_thread;
};

/// The first line of what is no recording, for a message: what cannot be printed is replaced, much is cut off.
std::string quotedLine(const std::string &bytes);

}  // namespace ct
