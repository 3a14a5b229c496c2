// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Readers that look again and again while a writer goes on.
#pragma once

#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <vector>

namespace ct::test {

/// Runs write() while each of `looks` is called over and over, on a thread of its own; ends them.
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

/// The same with readers that call look(random), each with numbers of its own.
template <class Look, class Write>
void readMeanwhile(Look &&look, Write &&write, unsigned readers = 2)
{
    std::vector<std::function<void()>> looks;
    for (unsigned seed = 0; seed < readers; ++seed)
        looks.push_back([&look, random = std::mt19937(seed)]() mutable { look(random); });
    lookMeanwhile(looks, write);
}

}  // namespace ct::test
