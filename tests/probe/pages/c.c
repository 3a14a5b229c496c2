// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The example of docs/probe/c.md, with what it leaves out.
#include "example_includes.h"

struct task {
    corotracer_coroutine trace;
};

void run(struct task *task)
{
#include "example1.h"
}
