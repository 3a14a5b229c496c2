// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Everything that is known of a coroutine in a few lines: the tooltip of tables and trees.
#pragma once

#include "core/session/places.h"
#include "core/trace/population.h"

#include <QString>

namespace ct {

/// Rich text; target-made names are escaped. Empty for a coroutine that is not (yet) known. `places`: may be null.
QString coroutineToolTip(const Population &population, CoroutineId id, std::uint64_t now, Places *places = nullptr);

/// "server (28660)" of a pid, with the name of the process if it is known; 0 gives an empty text.
QString processText(const Population &population, std::uint32_t pid);

}  // namespace ct
