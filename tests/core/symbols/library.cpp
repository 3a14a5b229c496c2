// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "printaddress.h"

[[gnu::always_inline]] inline void insideLibrary()
{
    PRINT_ADDRESS("insideLibrary");
}

[[gnu::noinline]] void libraryFunction(int times)
{
    if (times > 0)
        insideLibrary();  // MARK library
    std::putchar('\n');
}
