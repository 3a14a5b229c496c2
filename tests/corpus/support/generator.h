// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "task.h"

namespace corpus {

/// A coroutine that computes one value after the other, when it is asked for the next.
template <class T>
class [[nodiscard]] Generator {
public:
    struct promise_type : Promise {
        Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
        auto final_suspend() noexcept { return trace_final_suspend(); }
        auto yield_value(T next, corotracer::location where = corotracer::location::current())
        {
            value = std::move(next);
            return trace_yield(std::suspend_always{}, where);
        }
        void return_void() const noexcept {}

        T value{};
    };

    explicit Generator(std::coroutine_handle<promise_type> handle) : m_handle(handle) {}
    Generator(Generator &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Generator &operator=(Generator &&) = delete;
    ~Generator()
    {
        if (m_handle)
            m_handle.destroy();
    }

    /// The next value of a generator that never ends.
    [[nodiscard]] T next()
    {
        m_handle.resume();
        return m_handle.promise().value;
    }

private:
    std::coroutine_handle<promise_type> m_handle;
};

}  // namespace corpus
