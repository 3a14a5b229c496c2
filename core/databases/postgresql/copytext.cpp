// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/postgresql/copytext.h"

#include "core/recording/text/lineoutput.h"

namespace ct {

namespace {

void appendText(std::string &out, std::string_view text)
{
    for (const char character : text) {
        switch (character) {
        case '\0': out += "\xEF\xBF\xBD"; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default: out += character;
        }
    }
}

void appendCell(std::string &out, ColumnType type, const Cell &cell)
{
    char digits[kMaxDecimal];
    switch (cell.kind) {
    case Cell::Kind::Null: out += "\\N"; return;
    case Cell::Kind::Number:
        if (type == ColumnType::Boolean)
            out += cell.number != 0 ? 't' : 'f';
        else
            out.append(digits, putDecimal(digits, cell.number));
        return;
    case Cell::Kind::Address: out.append(digits, putHex(digits, cell.number)); return;
    case Cell::Kind::Text: appendText(out, cell.text()); return;
    }
}

}  // namespace

void appendCopyRow(std::string &out, const TableSchema &schema, const Row &row)
{
    std::size_t column = 0;
    for (const Cell &cell : row.cells()) {
        appendCell(out, schema.columns[column++].type, cell);
        out += '\t';
    }
    out.back() = '\n';
}

}  // namespace ct
