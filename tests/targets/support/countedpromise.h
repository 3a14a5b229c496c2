// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "coroTracer.h"
#include "report.h"

namespace targets {

/// PromiseMixin that keeps the books of the program: what was emitted by all coroutines, dead and alive.
class CountedPromise : public corotracer::PromiseMixin {
public:
    CountedPromise();
    CountedPromise(const CountedPromise &) = delete;
    CountedPromise &operator=(const CountedPromise &) = delete;
    ~CountedPromise();

private:
    friend Truth collectTruth();
    void enterInto(Truth &truth) const;

    const std::uint64_t m_firstEvent;      ///< a full station's numbers go on from its coroutine before
    CountedPromise *m_previous = nullptr;  ///< in the list of coroutines alive; guarded by the list's mutex
    CountedPromise *m_next = nullptr;
};

/// The books as they stand. Exact only while no coroutine runs: call it after the last thread was joined or paused.
[[nodiscard]] Truth collectTruth();

}  // namespace targets
