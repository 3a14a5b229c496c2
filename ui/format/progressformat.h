// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The texts of a job that makes progress. Pure.
#pragma once

#include <QString>

namespace ct::format {

/// "1.2 M/s, 40 s left"; empty as long as too little is known. `progress`: 0..1, see kRowsWritten. `seconds`: since the
/// start. `rows`: of the whole job; 0 = unknown, which leaves the rate out. `end`: what follows the rows and takes
/// long, such as "making indexes", because the time left is that of the rows; may be empty.
QString jobRate(double progress, double seconds, double rows, const QString &end = {});

}  // namespace ct::format
