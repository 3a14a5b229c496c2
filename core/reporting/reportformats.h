// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The formats of reports. Each is a pure function in a file of its own.
#pragma once

#include "core/reporting/report.h"

#include <span>
#include <string>
#include <string_view>

namespace ct {

std::string textReport(const Report &report);      ///< for a terminal
std::string markdownReport(const Report &report);  ///< for an issue or a comment
std::string htmlReport(const Report &report);      ///< one file for a browser, which needs nothing else
std::string jsonReport(const Report &report);      ///< docs/diagnosis.md describes it
std::string sarifReport(const Report &report);     ///< SARIF 2.1.0 (OASIS)
std::string junitReport(const Report &report);     ///< JUnit XML: a test case for each rule

struct ReportFormat {
    std::string_view name;  ///< as in --report
    std::string (*write)(const Report &report);
    bool listsCoroutines = false;  ///< it needs Report::run
};
std::span<const ReportFormat> reportFormats();
/// nullptr if there is no such format.
const ReportFormat *reportFormat(std::string_view name);

}  // namespace ct
