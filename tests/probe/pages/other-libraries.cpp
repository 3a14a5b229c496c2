// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The examples of docs/probe/other-libraries.md, with what they leave out.
#define CT_OMITTED
#include "example_includes.h"

#include "example1.h"
#include "example2.h"
#include "example4.h"

void schedule(std::coroutine_handle<> handle){
#include "example3.h"
}

their::mutex mutex;

#include "example5.h"

their::task<void> wait(their::event &event)
{
    co_await event;
    co_await corotracer::traced(std::suspend_always{});
}
