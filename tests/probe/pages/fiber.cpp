// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The examples of docs/probe/fiber.md, with what they leave out.
#include "example_includes.h"

int main()
{
#include "example1.h"
    boost::fibers::buffered_channel<int> channel(2);
    boost::fibers::fiber([&channel] {
#include "example2.h"
    }).join();
#include "example3.h"
    const std::unique_lock lock(mutex);
    changed.notify_all();
}
