// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/serverstore.h"

namespace ct {

Error nothingStored(Error error)
{
    error.message += "; nothing of this session was stored, and what the database had before is unchanged";
    addRemedy(error, spaceRemedy(error.code));
    return error;
}

Error perhapsStored(Error error)
{
    error.message += "; it is not known whether this session was stored";
    addRemedy(error, "look for it in the view `sessions` of the database, and export the run again if it is missing");
    return error;
}

Result<void> orNothingStored(Result<void> done)
{
    return done ? done : nothingStored(done.error());
}

}  // namespace ct
