// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/sqlvalue.h"

#include "core/base/utf8.h"
#include "core/recording/text/lineoutput.h"

#include <array>
#include <sqlite3.h>
#include <string>

namespace ct::query {

namespace {

void copyText(sqlite3_context *context, const char *text, std::size_t bytes)
{
    sqlite3_result_text64(context, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace

void SqlValue::integer(std::uint64_t value)
{
    sqlite3_result_int64(m_context, static_cast<sqlite3_int64>(value));
}

void SqlValue::null()
{
    sqlite3_result_null(m_context);
}

void SqlValue::decimalText(std::uint64_t value)
{
    std::array<char, kMaxDecimal> digits;
    copyText(m_context, digits.data(), static_cast<std::size_t>(putDecimal(digits.data(), value) - digits.data()));
}

void SqlValue::hexText(std::uint64_t value)
{
    std::array<char, kHexLength> digits;
    putHex(digits.data(), value);
    copyText(m_context, digits.data(), digits.size());
}

void SqlValue::word(std::string_view constant)
{
    sqlite3_result_text64(m_context, constant.data(), constant.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void SqlValue::text(std::string_view bytes)
{
    const std::string valid = validUtf8(bytes);
    copyText(m_context, valid.data(), valid.size());
}

}  // namespace ct::query
