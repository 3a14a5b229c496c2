// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/processmemory.h"
#include "tests/support/check.h"

#include <csignal>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPage = 4096;

/// A child process that only waits. Its memory is a copy of this process's memory at the fork.
class Child {
public:
    Child() : pid(::fork())
    {
        while (pid == 0)
            ::pause();
    }
    ~Child() { end(); }
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    void end()
    {
        if (pid > 0) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
        pid = -1;
    }

    pid_t pid;
};

}  // namespace

CT_CASE(readsMappedMemoryOnly)
{
    auto *pages =
        static_cast<char *>(::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    ::munmap(pages + kPage, kPage);
    pages[10] = 'a';
    Child child;
    REQUIRE(child.pid > 0);
    pages[10] = 'b';
    const ct::MemoryReader read = ct::processMemory(child.pid);
    const auto at = reinterpret_cast<std::uint64_t>(pages);
    char byte = 0;
    CHECK(read(at + 10, &byte, 1));
    CHECK_EQUAL(byte, 'a');
    char many[16];
    CHECK(read(at + kPage - sizeof(many), many, sizeof(many)));
    CHECK(!read(at + kPage - 8, many, sizeof(many)));  // the second half is not mapped
    CHECK(!read(8, many, sizeof(many)));
    child.end();
    CHECK(!read(at + 10, &byte, 1));
    ::munmap(pages, kPage);
}
