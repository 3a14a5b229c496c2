// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A signal that came before the wait for it. That alone proves nothing: the coroutine may have taken it without a
// suspension, and wait for the next one. But no next one comes where each object is signalled once.
#pragma once

#include "core/analysis/facts.h"

#include <span>
#include <string>

namespace ct::rules {

/// What the coroutine waits for was signalled once in its life, before the wait; and for enough other waits at its
/// site, it was signalled once as well, but during the wait: a sentence, else empty. `served`: of the process.
std::string signalledTooEarly(const Facts &facts, const Waiting &waiting,
                              std::span<const ObjectHistory::Served> served);

}  // namespace ct::rules
