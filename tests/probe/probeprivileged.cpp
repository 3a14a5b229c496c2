// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Prints whether it is traced. tst_probe_privileges starts copies of it with more rights than their caller.
#include "coroTracer.h"

#include <cstdio>

int main()
{
    corotracer::InitTracer();
    const corotracer::PromiseMixin promise;
    std::puts(promise.is_traced() ? "traced" : "untraced");
    return 0;
}
