// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A program without a line of the probe, but for the examples of docs/probe/asio.md.
#include "example_includes.h"

#include <boost/asio.hpp>

#include "example1.h"

static boost::asio::awaitable<int> answer()
{
    co_return 42;
}

int main()
{
#include "example2.h"
    boost::asio::io_context context;
    boost::asio::co_spawn(context, answer(), boost::asio::detached);
    context.run();
}
