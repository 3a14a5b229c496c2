// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a batch run found, in lines for people.
#pragma once

#include "app/findings.h"

#include <QStringList>

namespace ct {

/// The 20 places with most coroutines, how many more there are, and why addresses have no function: `problem` as
/// Places::problem() says it, or else what is known of the first such place. Empty: nothing was found.
QStringList findingLines(const std::vector<FoundGroup> &stuck, const std::string &problem);

}  // namespace ct
