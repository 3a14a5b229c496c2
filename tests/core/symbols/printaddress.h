// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The output of the programs in this folder: "<name> <line> <address>" for some of their lines, then their map.
#pragma once

#include <cstdio>
#include <cstring>

#if defined(__x86_64__)
#define ADDRESS_INTO(pointer) asm volatile("lea 0(%%rip), %0" : "=r"(pointer))
#else
#define ADDRESS_INTO(pointer) asm volatile("adr %0, ." : "=r"(pointer))
#endif

/// Prints the line's number and an address inside of this line's instructions.
#define PRINT_ADDRESS(name)                                                                                            \
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
