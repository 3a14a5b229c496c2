// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqltext.h"

namespace ct {

std::string columnNames(const TableSchema &schema, std::string (*quoted)(std::string_view name))
{
    std::string names;
    for (const Column &column : schema.columns)
        names += (names.empty() ? "" : ", ") + quoted(column.name);
    return names;
}

std::string withReplaced(std::string text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace ct
