// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/sqlite/sqliteddl.h"

namespace ct::sqlite {

namespace {

std::string quoted(std::string_view name)
{
    return '"' + std::string(name) + '"';
}

std::string columnText(const Column &column)
{
    std::string text = quoted(column.name);
    switch (column.type) {
    case ColumnType::Integer:
    case ColumnType::Unsigned:
    case ColumnType::Boolean: text += " INTEGER"; break;
    case ColumnType::UnsignedText:
    case ColumnType::Address:
    case ColumnType::Word:
    case ColumnType::Text: text += " TEXT"; break;
    case ColumnType::Object: break;  // no type: numbers stay numbers
    }
    if (!column.isNullable)
        text += " NOT NULL";
    if (column.type == ColumnType::Boolean)
        text += " CHECK (" + quoted(column.name) + " IN (0, 1))";
    return text;
}

}  // namespace

std::string createTable(const TableSchema &schema)
{
    std::string columns;
    for (const Column &column : schema.columns)
        columns += (columns.empty() ? "" : ", ") + columnText(column);
    const bool isClustered = !schema.key.empty() && !schema.hasNumberKey;
    if (!schema.key.empty())
        columns += ", PRIMARY KEY (" + std::string(schema.key) + ")";
    return "CREATE TABLE " + quoted(schema.name) + " (" + columns + ")" + (isClustered ? " WITHOUT ROWID" : "");
}

std::string createIndex(const IndexSchema &index)
{
    return "CREATE INDEX " + quoted(index.name) + " ON " + quoted(schemaOf(index.table).name) + " (" +
           std::string(index.columns) + ")";
}

std::string insertRow(const TableSchema &schema)
{
    std::string columns;
    std::string values;
    for (const Column &column : schema.columns) {
        columns += (columns.empty() ? "" : ", ") + quoted(column.name);
        values += values.empty() ? "?" : ", ?";
    }
    const char *const verb =
        schema.key.empty() || schema.name == schemaOf(Table::Events).name ? "INSERT" : "INSERT OR REPLACE";
    return std::string(verb) + " INTO " + quoted(schema.name) + " (" + columns + ") VALUES (" + values + ")";
}

}  // namespace ct::sqlite
