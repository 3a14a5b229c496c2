// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symbolworker.h"

#include "core/base/startthread.h"
#include "core/symbols/symbolizer.h"

#include <functional>

namespace ct {

namespace {

// Limit of answers, of some 300 bytes each. A program has fewer suspension points. At the limit, all are discarded.
constexpr std::size_t kMostAnswers = 500'000;

const char *const kPurpose = "to resolve addresses";

SymbolWorker::Answer makeRefusal()
{
    DescribedAddress described;
    described.reason = Unresolved::Unreadable;
    described.remedy = noThread(kPurpose).message;
    return std::make_shared<const DescribedAddress>(std::move(described));
}

}  // namespace

std::size_t SymbolWorker::KeyHash::operator()(const Key &key) const
{
    const std::size_t file =
        key.buildId.empty() ? std::hash<std::string>{}(key.path) : std::hash<std::string>{}(key.buildId);
    return file ^ (std::hash<std::uint64_t>{}(key.offset) * 0x9E3779B97F4A7C15U);
}

SymbolWorker::SymbolWorker(DebugSearchPath searchPath) : m_state(std::make_shared<State>())
{
    m_state->searchPath = std::move(searchPath);
}

SymbolWorker::~SymbolWorker()
{
    bool isBusy = false;
    std::thread thread;
    Batch queue;
    std::vector<Task> tasks;  // destroyed without the lock, because tasks may own anything
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->stop = true;
        isBusy = m_state->busy;
        thread.swap(m_thread);
        queue.swap(m_state->queue);
        tasks.swap(m_state->tasks);
    }
    m_state->wake.notify_one();
    // An idle thread sees `stop` and returns at once. A busy one may need any time.
    if (isBusy)
        thread.detach();
    else if (thread.joinable())
        thread.join();
}

/// Starts the thread if necessary. Call it with the lock. Returns false if the system refuses the thread.
bool SymbolWorker::ensureThread()
{
    if (m_thread.joinable())
        return true;
    const auto now = std::chrono::steady_clock::now();
    if (m_refusal && now < m_retryAt)
        return false;
    const bool isStarted = startThread(m_thread, [state = m_state] { state->work(); });
    m_retryAt = now + kRetry;
    const bool wasRefused = m_refusal != nullptr;
    if (isStarted == wasRefused) {  // the answers for all addresses change now
        m_refusal = isStarted ? nullptr : makeRefusal();
        m_state->generation.fetch_add(1, std::memory_order_release);
    }
    return isStarted;
}

Result<void> SymbolWorker::start()
{
    const std::lock_guard lock(m_state->mutex);
    return ensureThread() ? Result<void>() : noThread(kPurpose);
}

bool SymbolWorker::isRefused() const
{
    const std::lock_guard lock(m_state->mutex);
    return m_refusal != nullptr;
}

SymbolWorker::Key SymbolWorker::keyOf(const Module &module, std::uint64_t address)
{
    return {module.path, module.buildId, address - module.begin + module.offset};
}

SymbolWorker::Answer SymbolWorker::resolve(const Modules &modules, std::uint64_t address)
{
    const Module *module = modules->moduleAt(address);
    if (!module)
        return std::make_shared<DescribedAddress>(Symbolizer::outside());
    Key key = keyOf(*module, address);
    {
        const std::lock_guard lock(m_state->mutex);
        if (const auto known = m_state->answers.find(key); known != m_state->answers.end())
            return known->second;
        if (!ensureThread())
            return m_refusal;
        if (m_state->answers.size() >= kMostAnswers)
            m_state->answers.clear();
        m_state->answers.emplace(std::move(key), nullptr);
        m_state->queue.emplace_back(modules, address);
    }
    m_state->wake.notify_one();
    return nullptr;
}

SymbolWorker::Answer SymbolWorker::known(const Modules &modules, std::uint64_t address)
{
    const Module *module = modules->moduleAt(address);
    if (!module)
        return std::make_shared<DescribedAddress>(Symbolizer::outside());
    const std::lock_guard lock(m_state->mutex);
    const auto found = m_state->answers.find(keyOf(*module, address));
    return found == m_state->answers.end() ? m_refusal : found->second;
}

void SymbolWorker::run(Task task)
{
    {
        const std::lock_guard lock(m_state->mutex);
        if (!ensureThread())
            return;
        m_state->tasks.push_back(std::move(task));
    }
    m_state->wake.notify_one();
}

void SymbolWorker::waitUntilIdle()
{
    std::unique_lock lock(m_state->mutex);
    m_state->idle.wait(lock, [this] { return !m_state->busy && m_state->queue.empty() && m_state->tasks.empty(); });
}

bool SymbolWorker::isIdle() const
{
    const std::lock_guard lock(m_state->mutex);
    return !m_state->busy && m_state->queue.empty() && m_state->tasks.empty();
}

void SymbolWorker::setSearchPath(DebugSearchPath searchPath)
{
    const std::lock_guard lock(m_state->mutex);
    m_state->searchPath = std::move(searchPath);
    ++m_state->searchPathVersion;
    m_state->answers.clear();
    m_state->generation.fetch_add(1, std::memory_order_release);
}

bool SymbolWorker::State::isStopped()
{
    const std::lock_guard lock(mutex);
    return stop;
}

void SymbolWorker::State::work()
{
    std::unique_ptr<Symbolizer> symbolizer;
    std::uint64_t version = 0;
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait(lock, [this] { return stop || !queue.empty() || !tasks.empty(); });
        if (stop)
            return;
        if (!symbolizer || version != searchPathVersion)
            symbolizer = std::make_unique<Symbolizer>(searchPath);
        version = searchPathVersion;
        std::vector<Task> due = std::exchange(tasks, {});
        Batch batch = std::exchange(queue, {});
        busy = true;
        lock.unlock();
        for (const Task &task : due) {
            if (isStopped())
                break;
            task(*symbolizer);
        }
        answer(*symbolizer, batch, version);
        // Without the lock, because tasks may own anything.
        due.clear();
        batch.clear();
        lock.lock();
        busy = false;
        if (queue.empty() && tasks.empty())
            idle.notify_all();
    }
}

void SymbolWorker::State::answer(Symbolizer &symbolizer, const Batch &batch, std::uint64_t askedVersion)
{
    // All addresses of a process together, because each compile unit is then read once.
    std::unordered_map<const ModuleMap *, std::vector<std::uint64_t>> byMap;
    for (const auto &[modules, address] : batch)
        byMap[modules.get()].push_back(address);
    for (const auto &[modules, addresses] : byMap) {
        if (isStopped())
            return;
        std::vector<DescribedAddress> described = symbolizer.describe(*modules, addresses);
        const std::lock_guard lock(mutex);
        if (askedVersion != searchPathVersion || stop)
            return;  // setSearchPath() discarded the answers; callers ask again
        for (std::size_t i = 0; i < addresses.size(); ++i)
            answers[keyOf(*modules->moduleAt(addresses[i]), addresses[i])] =
                std::make_shared<DescribedAddress>(std::move(described[i]));
    }
    generation.fetch_add(1, std::memory_order_release);
}

}  // namespace ct
