// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "report.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace targets {

std::string toJson(const Truth &truth)
{
    std::string line =
        "{\"emitted\":" + std::to_string(truth.emitted) + ",\"traced_coroutines\":" + std::to_string(truth.traced) +
        ",\"untraced\":" + std::to_string(truth.untraced) + ",\"unfinished\":" + std::to_string(truth.unfinished);
    for (const auto &[name, value] : truth.more)
        line += ",\"" + name + "\":" + std::to_string(value);
    return line + "}\n";
}

bool writeReport(const Truth &truth)
{
    const char *path = std::getenv("CT_EMITTED_FILE");
    if (path == nullptr || *path == '\0')
        return true;
    const std::string line = toJson(truth);
    std::FILE *file = std::fopen(path, "we");
    bool written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
    if (file != nullptr)
        written = std::fclose(file) == 0 && written;
    if (!written)
        std::fprintf(stderr, "cannot write CT_EMITTED_FILE %s: %s\n", path, std::strerror(errno));
    return written;
}

}  // namespace targets
