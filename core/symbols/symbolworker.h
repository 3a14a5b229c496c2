// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Symbols for those who may not wait: what is known is given back at once, the rest is looked up on a thread of its
// own.
#pragma once

#include "core/symbols/debugfile.h"
#include "core/symbols/describedaddress.h"
#include "core/symbols/modulemap.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ct {

class Symbolizer;

/// Every member from any thread; none waits for a file. Answers are kept by build and place in the file, so that each
/// is looked up once, for all processes and runs of one program.
class SymbolWorker {
public:
    using Answer = std::shared_ptr<const DescribedAddress>;
    using Modules = std::shared_ptr<const ModuleMap>;
    /// Work with files on the worker's thread; see CoroutineFrame.
    using Task = std::function<void(Symbolizer &)>;

    explicit SymbolWorker(SymbolPlaces places = {});
    /// Waits for the batch at hand; what is queued is dropped.
    ~SymbolWorker();
    SymbolWorker(const SymbolWorker &) = delete;
    SymbolWorker &operator=(const SymbolWorker &) = delete;

    /// nullptr: not known yet, and asked for; ask again when generation() has changed. `modules` not null.
    Answer lookUp(const Modules &modules, std::uint64_t address);
    /// The same, but nothing is asked for.
    Answer known(const Modules &modules, std::uint64_t address);
    /// Runs before what is queued.
    void run(Task task);
    /// Grows whenever answers have arrived or were forgotten.
    std::uint64_t generation() const { return m_generation.load(std::memory_order_acquire); }
    /// Returns when nothing is queued or under way: for tests and batch mode.
    void waitUntilIdle();
    bool isIdle() const;
    /// Other places, say after the user named a folder: all answers are forgotten.
    void setPlaces(SymbolPlaces places);

private:
    /// What an address means, whichever process it is of.
    struct Key {
        std::string path;
        std::string buildId;
        std::uint64_t offset = 0;  ///< in the file
        bool operator==(const Key &) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key &key) const;
    };
    using Batch = std::vector<std::pair<Modules, std::uint64_t>>;

    static Key keyOf(const Module &module, std::uint64_t address);
    void work();
    void answer(Symbolizer &symbolizer, const Batch &batch, std::uint64_t places);

    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_idle;
    std::unordered_map<Key, Answer, KeyHash> m_answers;  ///< nullptr: asked for
    Batch m_queue;
    std::vector<Task> m_tasks;
    SymbolPlaces m_places;
    std::uint64_t m_placesVersion = 0;
    bool m_busy = false;
    bool m_stop = false;
    std::atomic<std::uint64_t> m_generation{0};
    std::thread m_thread;  ///< last: uses all of the above
};

}  // namespace ct
