// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The correct demonstration server: every coroutine has ended when the program ends.
#include "server/demo.h"

int main(int argc, char **argv)
{
    return server::runDemo(argc, argv, sched::Registration::RetryFirst, 3);
}
