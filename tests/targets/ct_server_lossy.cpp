// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The demonstration server with a lost wake-up. Its reactor parks a read without trying it first, and relies on the
// next edge. A client may hang up while the handler is still busy with the client's last request, for example in the
// access log. The edge of the hang-up then comes too early: no read is parked, and the reactor does not store the edge.
// No other edge follows. The handler waits in async_read for ever and keeps its connection permit, until hardly any
// permits are left for visitors.
#include "server/demo.h"

int main(int argc, char **argv)
{
    return server::runDemo(argc, argv, sched::Registration::TrustEdges, 20);
}
