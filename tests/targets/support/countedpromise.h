// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "coroTracer.h"
#include "report.h"

namespace targets {

/// A PromiseMixin that counts the program's published events, of live and dead coroutines.
class CountedPromise : public corotracer::PromiseMixin {
public:
    CountedPromise();
    CountedPromise(const CountedPromise &) = delete;
    CountedPromise &operator=(const CountedPromise &) = delete;
    ~CountedPromise();

private:
    friend Truth collectTruth();
    void enterInto(Truth &truth) const;

    const std::uint64_t m_firstEvent;      ///< number of the first event; a full station continues the numbers of its
                                           ///< previous coroutine
    CountedPromise *m_previous = nullptr;  ///< links of the list of live coroutines; guarded by the list's mutex
    CountedPromise *m_next = nullptr;
};

/// Returns the present counts. They are exact only while no coroutine runs: join or pause all threads first.
[[nodiscard]] Truth collectTruth();

}  // namespace targets
