// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/symbolworker.h"

#include "core/symbols/symbolizer.h"

#include <functional>

namespace ct {

namespace {

// Some 300 bytes each. A program has fewer suspension points; beyond, all are forgotten rather than any remembered
// longer.
constexpr std::size_t kMostAnswers = 500'000;

}  // namespace

std::size_t SymbolWorker::KeyHash::operator()(const Key &key) const
{
    const std::size_t file =
        key.buildId.empty() ? std::hash<std::string>{}(key.path) : std::hash<std::string>{}(key.buildId);
    return file ^ (std::hash<std::uint64_t>{}(key.offset) * 0x9E3779B97F4A7C15U);
}

SymbolWorker::SymbolWorker(SymbolPlaces places) : m_places(std::move(places))
{
    m_thread = std::thread([this] { work(); });
}

SymbolWorker::~SymbolWorker()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

SymbolWorker::Key SymbolWorker::keyOf(const Module &module, std::uint64_t address)
{
    return {module.path, module.buildId, address - module.begin + module.offset};
}

SymbolWorker::Answer SymbolWorker::lookUp(const Modules &modules, std::uint64_t address)
{
    const Module *module = modules->find(address);
    if (!module)
        return std::make_shared<DescribedAddress>(Symbolizer::outside());
    Key key = keyOf(*module, address);
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_answers.find(key); known != m_answers.end())
            return known->second;
        if (m_answers.size() >= kMostAnswers)
            m_answers.clear();
        m_answers.emplace(std::move(key), nullptr);
        m_queue.emplace_back(modules, address);
    }
    m_wake.notify_one();
    return nullptr;
}

SymbolWorker::Answer SymbolWorker::known(const Modules &modules, std::uint64_t address)
{
    const Module *module = modules->find(address);
    if (!module)
        return std::make_shared<DescribedAddress>(Symbolizer::outside());
    const std::lock_guard lock(m_mutex);
    const auto found = m_answers.find(keyOf(*module, address));
    return found == m_answers.end() ? nullptr : found->second;
}

void SymbolWorker::run(Task task)
{
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(task));
    }
    m_wake.notify_one();
}

void SymbolWorker::waitUntilIdle()
{
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [this] { return !m_busy && m_queue.empty() && m_tasks.empty(); });
}

bool SymbolWorker::isIdle() const
{
    const std::lock_guard lock(m_mutex);
    return !m_busy && m_queue.empty() && m_tasks.empty();
}

void SymbolWorker::setPlaces(SymbolPlaces places)
{
    const std::lock_guard lock(m_mutex);
    m_places = std::move(places);
    ++m_placesVersion;
    m_answers.clear();
    m_generation.fetch_add(1, std::memory_order_release);
}

void SymbolWorker::work()
{
    std::unique_ptr<Symbolizer> symbolizer;
    std::uint64_t version = 0;
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_stop || !m_queue.empty() || !m_tasks.empty(); });
        if (m_stop)
            return;
        if (!symbolizer || version != m_placesVersion)
            symbolizer = std::make_unique<Symbolizer>(m_places);
        version = m_placesVersion;
        const std::vector<Task> tasks = std::exchange(m_tasks, {});
        const Batch batch = std::exchange(m_queue, {});
        m_busy = true;
        lock.unlock();
        for (const Task &task : tasks)
            task(*symbolizer);
        answer(*symbolizer, batch, version);
        lock.lock();
        m_busy = false;
        if (m_queue.empty() && m_tasks.empty())
            m_idle.notify_all();
    }
}

void SymbolWorker::answer(Symbolizer &symbolizer, const Batch &batch, std::uint64_t places)
{
    // All of one process together: each compile unit is read once.
    std::unordered_map<const ModuleMap *, std::vector<std::uint64_t>> byMap;
    for (const auto &[modules, address] : batch)
        byMap[modules.get()].push_back(address);
    for (const auto &[modules, addresses] : byMap) {
        std::vector<DescribedAddress> described = symbolizer.describe(*modules, addresses);
        const std::lock_guard lock(m_mutex);
        if (places != m_placesVersion)
            return;  // forgotten meanwhile: they are asked for again
        for (std::size_t i = 0; i < addresses.size(); ++i)
            m_answers[keyOf(*modules->find(addresses[i]), addresses[i])] =
                std::make_shared<DescribedAddress>(std::move(described[i]));
    }
    m_generation.fetch_add(1, std::memory_order_release);
}

}  // namespace ct
