// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The demonstration server as it should be: at the end every coroutine has ended.
#include "server/demo.h"

int main(int argc, char **argv)
{
    return server::runDemo(argc, argv, sched::Registration::RetryFirst, 3);
}
