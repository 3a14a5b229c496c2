// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Chrome's JSON trace event format, as an array with one event per line. Viewers accept a file that is cut off.
#pragma once

#include "core/exporting/viewers/trackencoder.h"

#include <memory>

namespace ct::viewers {

std::unique_ptr<TrackEncoder> makeChromeEncoder();

}  // namespace ct::viewers
