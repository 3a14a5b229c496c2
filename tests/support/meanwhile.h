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

/// Runs write() while one thread per function in `looks` calls it in a loop. Joins the threads afterwards.
template <class Write>
void lookMeanwhile(const std::vector<std::function<void()>> &looks, Write &&write)
{
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (const std::function<void()> &look : looks) {
        readers.emplace_back([&look, &done] {
            while (!done.load(std::memory_order_acquire))
                look();
        });
    }
    write();
    done.store(true, std::memory_order_release);
    for (std::thread &reader : readers)
        reader.join();
}

/// Runs `readers` threads that call look(random), each with its own random generator.
template <class Look, class Write>
void readMeanwhile(Look &&look, Write &&write, unsigned readers = 2)
{
    std::vector<std::function<void()>> looks;
    for (unsigned seed = 0; seed < readers; ++seed)
        looks.push_back([&look, random = std::mt19937(seed)]() mutable { look(random); });
    lookMeanwhile(looks, write);
}

}  // namespace ct::test
