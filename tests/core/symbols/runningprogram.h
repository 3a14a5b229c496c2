// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The program of coroutines.cpp while it runs.
#pragma once

#include "core/symbols/codewalk.h"
#include "programrun.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace made {

/// The running program. It waits for a line of input after each "go".
class RunningProgram {
public:
    explicit RunningProgram(const std::string &name)
    {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        if (::pipe(in.data()) != 0 || ::pipe(out.data()) != 0)
            return;
        m_pid = ::fork();
        if (m_pid == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            for (const int fd : {in[0], in[1], out[0], out[1]})
                ::close(fd);
            ::execl(path(name).c_str(), name.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        m_in = in[1];
        m_output = ::fdopen(out[0], "r");
    }
    ~RunningProgram()
    {
        end();
        ::close(m_in);
        std::fclose(m_output);
    }
    RunningProgram(const RunningProgram &) = delete;
    RunningProgram &operator=(const RunningProgram &) = delete;

    void end()
    {
        if (m_pid > 0) {
            ::kill(m_pid, SIGKILL);
            ::waitpid(m_pid, nullptr, 0);
        }
        m_pid = 0;
    }
    /// Returns the lines that the program prints before the next "go".
    std::vector<std::string> listen()
    {
        std::vector<std::string> lines;
        char text[4096];
        while (std::fgets(text, sizeof(text), m_output) && std::strcmp(text, "go\n") != 0) {
            lines.emplace_back(text);
            lines.back().pop_back();
        }
        return lines;
    }
    pid_t pid() const { return m_pid; }
    void goOn() const
    {
        if (::write(m_in, "\n", 1) != 1)
            std::cerr << "the program does not listen" << std::endl;
    }
    ct::MemoryReader reader() const
    {
        return [pid = m_pid](std::uint64_t address, void *to, std::size_t size) {
            iovec local{to, size};
            iovec remote{reinterpret_cast<void *>(address), size};  // NOLINT: an address of another process
            return pid > 0 && ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
        };
    }

private:
    pid_t m_pid = 0;
    int m_in = -1;
    std::FILE *m_output = nullptr;
};

struct Seen {
    std::string name;
    unsigned line = 0;
    std::uint64_t frame = 0;
};

inline std::vector<Seen> framesIn(const std::vector<std::string> &lines)
{
    std::vector<Seen> frames;
    for (const std::string &line : lines) {
        std::istringstream words(line);
        Seen seen;
        if (words >> seen.name >> seen.line >> std::hex >> seen.frame &&
            seen.name.find_first_of("#-") == std::string::npos)
            frames.push_back(seen);
    }
    return frames;
}

}  // namespace made
