// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/addresses/processmemory.h"

#include <sys/uio.h>

namespace ct {

MemoryReader processMemory(pid_t pid)
{
    return [pid](std::uint64_t address, void *to, std::size_t size) {
        iovec local{to, size};
        iovec remote{reinterpret_cast<void *>(address), size};
        return ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
    };
}

}  // namespace ct
