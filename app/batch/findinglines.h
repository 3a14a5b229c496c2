// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The findings of a batch run as lines of text.
#pragma once

#include "app/batch/summary.h"

#include <QStringList>

namespace ct {

/// Returns the 20 sites with the most stuck coroutines, the number of other sites, why addresses have no function, and
/// what could not be judged. The reason is `problem`, from AddressResolver::problem(), or else the remedy of the first
/// group that has one.
QStringList findingLines(const Summary &summary, const std::string &problem);

}  // namespace ct
