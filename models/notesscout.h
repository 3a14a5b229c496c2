// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds out, a little at a time, what kinds of things a target says of its coroutines, so that views can leave out
// what would be empty.
#pragma once

#include "core/trace/population.h"

namespace ct {

class NotesScout {
public:
    /// The population must live until the next call. Null: nothing is said.
    void setPopulation(const Population *population);
    /// Looks at some coroutines; costs well under a millisecond. True: something new was found.
    bool sample();

    bool foundParents() const { return m_parents; }
    bool foundWaits() const { return m_waits; }
    bool foundProcesses() const { return m_processes; }  ///< more than one
    bool foundThreadNames() const { return m_threadNames; }

private:
    void lookAt(CoroutineId id);
    unsigned found() const;

    const Population *m_population = nullptr;
    CoroutineId m_next = 0;
    unsigned m_samples = 0;
    bool m_parents = false;
    bool m_waits = false;
    bool m_processes = false;
    bool m_threadNames = false;
};

}  // namespace ct
