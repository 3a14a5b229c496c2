// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Detects which kinds of notes a target sends, and whether it has generators, a few coroutines at a time. Views hide
// columns and buttons that would have no use.
#pragma once

#include "core/trace/population.h"

namespace ct {

class NoteKindDetector {
public:
    /// The population must live until the next call. Null means that nothing is found.
    void setPopulation(const Population *population);
    /// Checks some coroutines; costs well under a millisecond. Returns true if a new kind was found.
    bool sample();

    bool foundParents() const { return m_parents; }
    bool foundWaits() const { return m_waits; }
    bool foundProcesses() const { return m_processes; }  ///< the run has more than one process
    bool foundThreadNames() const { return m_threadNames; }
    bool foundGenerators() const { return m_generators; }  ///< see Population::isGeneratorSite()

private:
    void detectKinds(CoroutineId id);
    unsigned found() const;

    const Population *m_population = nullptr;
    CoroutineId m_next = 0;
    unsigned m_samples = 0;
    bool m_parents = false;
    bool m_waits = false;
    bool m_processes = false;
    bool m_threadNames = false;
    bool m_generators = false;
};

}  // namespace ct
