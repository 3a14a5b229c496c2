// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The texts of a job that makes progress. Pure.
#pragma once

#include <QString>

namespace ct::format {

/// "1.2 M/s, 40 s left"; empty as long as too little is known. `progress`: 0..1. `seconds`: since the start. `rows`: of
/// the whole job; 0 = unknown, which leaves the rate out.
QString jobRate(double progress, double seconds, double rows);

}  // namespace ct::format
