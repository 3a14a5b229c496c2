// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/reportformats.h"

#include <algorithm>
#include <array>

namespace ct {

std::span<const ReportFormat> reportFormats()
{
    static constexpr std::array<ReportFormat, 6> kFormats{{{"text", textReport},
                                                           {"markdown", markdownReport},
                                                           {"html", htmlReport, true},
                                                           {"json", jsonReport},
                                                           {"sarif", sarifReport},
                                                           {"junit", junitReport}}};
    return kFormats;
}

const ReportFormat *reportFormat(std::string_view name)
{
    const std::span<const ReportFormat> formats = reportFormats();
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [name](const ReportFormat &format) { return format.name == name; });
    return found != formats.end() ? &*found : nullptr;
}

}  // namespace ct
