// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/locations.h"

#include "core/base/utf8.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace ct {

namespace {

std::string hexadecimal(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%" PRIx64, value);
    return text.data();
}

}  // namespace

NamedLocation locationOf(const Population &population, const AddressResolver *resolver, CoroutineId coroutine,
                         SiteId siteId, std::uint64_t addr, std::uint64_t since)
{
    if (const Site *site = population.site(siteId))
        return {site->function, site->file, site->line, addr};
    NamedLocation location;
    location.addr = addr;
    if (!resolver || addr == 0 || coroutine == kNoCoroutine)
        return location;
    const AddressResolver::Answer answer =
        resolver->known({coroutine, population.at(coroutine).pid, addr, since, true});
    if (!answer || answer->frames.empty())
        return location;
    const SourceFrame &frame = answer->frames.front();
    return {frame.function, frame.file, frame.line, addr};
}

std::string locationText(const NamedLocation &location)
{
    const std::string line = location.line != 0 ? ":" + std::to_string(location.line) : "";
    const std::string where =
        location.file.empty() ? "" : printableText(location.file.substr(location.file.rfind('/') + 1)) + line;
    if (!location.function.empty())
        return printableText(location.function) + (where.empty() ? "" : " (" + where + ")");
    if (!where.empty())
        return where;
    return location.addr != 0 ? hexadecimal(location.addr) : "an unknown location";
}

std::string printableText(std::string_view text)
{
    // A JSON string is safe to print; without its quotes, and with quotes and backslashes as they are.
    std::string quoted;
    appendJsonString(quoted, text);
    std::string printable;
    for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
        if (quoted[i] == '\\' && (quoted[i + 1] == '"' || quoted[i + 1] == '\\' || quoted[i + 1] == '/'))
            ++i;
        printable += quoted[i];
    }
    return printable;
}

}  // namespace ct
