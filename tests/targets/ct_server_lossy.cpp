// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The same server with a lost wake-up. Its reactor parks a read without trying it, trusting that the next edge will
// come. A client that hangs up while the handler is still busy with its last request (writing out the access log, say)
// causes that edge too early: nobody waits yet, nobody remembers it, and there will not be another. The handler then
// waits in async_read for ever and keeps its place among the connections, until hardly any are left for visitors.
#include "server/demo.h"

int main(int argc, char **argv)
{
    return server::runDemo(argc, argv, sched::Registration::TrustEdges, 20);
}
