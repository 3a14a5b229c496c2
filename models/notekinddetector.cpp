// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/notekinddetector.h"

#include <algorithm>

namespace ct {

namespace {

constexpr std::uint32_t kAtATime = 1024;
constexpr std::uint32_t kNewest = 64;
constexpr unsigned kKinds = 5;
constexpr unsigned kProcessesEvery = 16;  ///< samples between two checks of the processes

}  // namespace

void NoteKindDetector::setPopulation(const Population *population)
{
    *this = NoteKindDetector();
    m_population = population;
}

bool NoteKindDetector::sample()
{
    if (!m_population)
        return false;
    const unsigned before = found();
    if (!m_processes && m_samples++ % kProcessesEvery == 0)
        m_processes = m_population->processes().size() > 1;
    const std::uint32_t size = m_population->size();
    // Check the newest coroutines first: they are the most likely to have new notes. Then continue through all of them,
    // over and over.
    for (CoroutineId id = size - std::min(size, kNewest); id < size; ++id)
        detectKinds(id);
    for (std::uint32_t i = 0; i < std::min(size, kAtATime) && found() < kKinds; ++i) {
        m_next = m_next + 1 < size ? m_next + 1 : 0;
        detectKinds(m_next);
    }
    return before != found();
}

unsigned NoteKindDetector::found() const
{
    return unsigned{m_parents} + m_waits + m_processes + m_threadNames + m_generators;
}

void NoteKindDetector::detectKinds(CoroutineId id)
{
    m_parents = m_parents || m_population->parentOf(id) != kNoCoroutine;
    m_waits = m_waits || m_population->notes(id).waitsOn.has_value();
    if (m_threadNames && m_generators)
        return;
    const CoroutineSnapshot coroutine = m_population->at(id);
    m_generators = m_generators || m_population->isGeneratorSite(coroutine.bodySite);
    m_threadNames =
        m_threadNames || (coroutine.tid != 0 && !m_population->threadName(coroutine.pid, coroutine.tid).empty());
}

}  // namespace ct
