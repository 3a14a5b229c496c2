// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overflownotices.h"

#include "ui/format/format.h"

#include <utility>

namespace ct {

QStringList OverflowNotices::fresh(const Overflow &overflow, std::uint64_t names, std::uint64_t records)
{
    QStringList notices;
    if (overflow.coroutines > overflow.ended && !std::exchange(m_reportedCoroutines, true))
        notices << tr("Memory has no room for more than %1 coroutines. Coroutines that are "
                      "born from now on, and their events, are counted, but not shown. A "
                      "recording of the run contains them.")
                       .arg(format::count(records));
    if (overflow.ended > 0 && !std::exchange(m_reportedEnded, true))
        notices << tr("Memory keeps only the latest coroutines that have ended. Earlier ones, and their "
                      "events, are still counted (see Capture), but no longer shown. To keep more, "
                      "increase the memory in File > Run > Capture.");
    if (names > 0 && !std::exchange(m_reportedNames, true))
        notices << tr("Memory for names is full: coroutines, threads and processes with new "
                      "names are shown without them. Use fewer different names. A recording "
                      "of the run contains all names.");
    return notices;
}

}  // namespace ct
