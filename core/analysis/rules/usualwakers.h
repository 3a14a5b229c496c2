// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The usual wakers of a coroutine, for targets that do not report wakes. A coroutine that was running each time an
// earlier wait of another one ended probably woke it.
#pragma once

#include "core/analysis/rules/runlog.h"

#include <cstdint>
#include <map>

namespace ct::rules {

/// Lives for one judgement.
class UsualWakers {
public:
    explicit UsualWakers(const Facts &facts) : m_facts(facts) {}

    /// True if the coroutines that may have ended each of its latest waits at its site have all been silent since the
    /// present wait began, and wait for something else than this coroutine. Then its source is quiet: no wake-up was
    /// lost. False if no coroutine is known to have ended all these waits.
    bool areSilent(const Waiting &waiting);

private:
    const Facts &m_facts;
    std::map<std::uint32_t, RunLog> m_logs;  ///< by pid; up to the first wait that was asked for
};

}  // namespace ct::rules
