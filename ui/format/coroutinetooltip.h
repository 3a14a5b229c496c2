// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The tooltip of a coroutine in tables and trees.
#pragma once

#include "core/addresses/addressresolver.h"
#include "core/trace/population.h"

#include <QString>

namespace ct {

/// Returns rich text; names from the target are escaped. Empty if the coroutine is not known (yet). `now` is ns,
/// CLOCK_MONOTONIC. `resolver` may be null.
QString coroutineToolTip(const Population &population, CoroutineId id, std::uint64_t now,
                         AddressResolver *resolver = nullptr);

/// Returns "server (28660)", or "28660" if the name of the process is not known; empty for pid 0.
QString processText(const Population &population, std::uint32_t pid);

}  // namespace ct
