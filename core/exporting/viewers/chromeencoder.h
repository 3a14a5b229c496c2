// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The JSON trace event format of Chrome, as an array: one event a line. Its viewers accept a file without an end.
#pragma once

#include "core/exporting/viewers/trackencoder.h"

#include <memory>

namespace ct::viewers {

std::unique_ptr<TrackEncoder> makeChromeEncoder();

}  // namespace ct::viewers
