// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Runs readers in a loop while a writer works.
#pragma once

#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace ct::test {

/// Runs write() while one thread per function in `actions` calls it in a loop. Joins the threads afterwards.
template <class Write>
void runConcurrently(const std::vector<std::function<void()>> &actions, Write &&write)
{
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (const std::function<void()> &action : actions) {
        readers.emplace_back([&action, &done] {
            while (!done.load(std::memory_order_acquire))
                action();
        });
    }
    write();
    done.store(true, std::memory_order_release);
    for (std::thread &reader : readers)
        reader.join();
}

/// Runs `readers` threads that call action(random), each with its own random generator.
template <class Action, class Write>
void readConcurrently(Action &&action, Write &&write, unsigned readers = 2)
{
    std::vector<std::function<void()>> actions;
    for (unsigned seed = 0; seed < readers; ++seed)
        actions.push_back([&action, random = std::mt19937(seed)]() mutable { action(random); });
    runConcurrently(actions, write);
}

}  // namespace ct::test
