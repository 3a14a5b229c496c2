// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The library that the examples of docs/probe/other-libraries.md use. Only compiled.
#pragma once

#include <coroutine>

namespace their {

template <class T>
struct task {
    struct promise_type {
        task get_return_object();
        std::suspend_always initial_suspend() noexcept;
        std::suspend_always final_suspend() noexcept;
        void return_void();
        void unhandled_exception();
    };
    [[nodiscard]] std::coroutine_handle<promise_type> handle() const noexcept;
};

struct event : std::suspend_always {};
struct mutex {
    std::suspend_always lock();
};
struct socket {
    std::suspend_always read();
};

}  // namespace their
