// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/databasepassword.h"

#include "app/commandline/exportoptions.h"

#include <cstdlib>

namespace ct {

void passDatabasePasswordOn(const CommandLine &line)
{
    if (line.databasePassword.empty())
        return;
    for (const CommandLine::Export &requested : line.exports) {
        if (isOfServer(requested))
            ::setenv(requested.kind == "mysql" ? "MYSQL_PWD" : "PGPASSWORD", line.databasePassword.c_str(), 1);
    }
}

}  // namespace ct
