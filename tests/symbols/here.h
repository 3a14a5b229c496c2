// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the programs of this folder say of themselves: "<name> <line> <address>" for places in them, then their map.
#pragma once

#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#define ADDRESS_INTO(pointer) asm volatile("lea 0(%%rip), %0" : "=r"(pointer))
#else
#define ADDRESS_INTO(pointer) asm volatile("adr %0, ." : "=r"(pointer))
#endif

/// An address inside of the instructions of this very line.
#define HERE(name)                                                                                                     \
    do {                                                                                                               \
        char *here;                                                                                                    \
        ADDRESS_INTO(here);                                                                                            \
        std::printf("%s %d %p\n", name, __LINE__, static_cast<void *>(here - 1));                                      \
    } while (false)

inline void printMap()
{
    std::puts("maps");
    std::FILE *maps = std::fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps && std::fgets(line, sizeof(line), maps))
        std::fputs(line, stdout);
    if (maps)
        std::fclose(maps);
    std::fflush(stdout);
}
