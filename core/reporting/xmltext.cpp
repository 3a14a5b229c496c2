// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/xmltext.h"

#include "core/reporting/locations.h"

namespace ct {

std::string xmlText(std::string_view text)
{
    const std::string printable = printableText(text);
    std::string result;
    for (std::size_t i = 0; i < printable.size(); ++i) {
        const std::string_view rest = std::string_view(printable).substr(i);
        if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
            result += "\xEF\xBF\xBD";  // XML forbids U+FFFE and U+FFFF
            i += 2;
            continue;
        }
        switch (printable[i]) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += printable[i];
        }
    }
    return result;
}

}  // namespace ct
