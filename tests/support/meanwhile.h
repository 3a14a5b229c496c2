// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Readers that look again and again while a writer goes on.
#pragma once

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace ct::test {

/// Runs write() while two threads call look(random), each with numbers of its own, over and over; ends them.
template <class Look, class Write>
void readMeanwhile(Look &&look, Write &&write)
{
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (unsigned seed = 0; seed < 2; ++seed) {
        readers.emplace_back([&look, &done, seed] {
            std::mt19937 random(seed);
            while (!done.load(std::memory_order_acquire))
                look(random);
        });
    }
    write();
    done.store(true, std::memory_order_release);
    for (std::thread &reader : readers)
        reader.join();
}

}  // namespace ct::test
