// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/recording/format/columns.h"

namespace ct::ctr {

std::uint64_t ColumnReader::slowly()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && m_at != m_end; shift += 7) {
        const std::uint64_t bits = *m_at & 0x7FU;
        // The tenth byte only has the highest bit of the value.
        if (shift == 63 && bits > 1)
            break;
        value |= bits << shift;
        if (*m_at++ < 0x80)
            return value;
    }
    fail();
    return 0;
}

}  // namespace ct::ctr
