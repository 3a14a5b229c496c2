// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/boundedprintf.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sqlite3.h>
#include <string>

namespace ct::query {

namespace {

/// Reads the widths and precisions of a format, as SQLite does. Returns true if one is more than `most`.
bool isTooWide(int count, sqlite3_value **values, std::int64_t most)
{
    int next = 1;
    const auto *at = reinterpret_cast<const char *>(sqlite3_value_text(values[0]));
    for (; at && *at != '\0'; ++at) {
        if (*at != '%')
            continue;
        for (++at; *at != '\0' && std::strchr("-+ #!0,l.*123456789", *at);) {
            std::int64_t number = 0;
            if (*at >= '1' && *at <= '9') {
                char *end = nullptr;
                number = std::strtoll(at, &end, 10);
                at = end;
            } else if (*at++ == '*' && next < count) {
                number = static_cast<std::int32_t>(sqlite3_value_int64(values[next++]));
            }
            if (std::abs(number) > most)
                return true;
        }
        if (*at == '\0')
            return false;
        if (*at != '%' && *at != 'n')
            ++next;
    }
    return false;
}

/// Calls SQLite's function on another database, because this one replaces it.
void callPrintf(sqlite3_context *context, int count, sqlite3_value **values)
{
    if (count == 0 || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return sqlite3_result_null(context);
    auto *plain = static_cast<sqlite3 *>(sqlite3_user_data(context));
    if (isTooWide(count, values, sqlite3_limit(plain, SQLITE_LIMIT_LENGTH, -1)))
        return sqlite3_result_error_toobig(context);
    // With the space, an empty result is not NULL, but one that is too long is.
    std::string call = "SELECT substr(printf(' ' || ?";
    for (int i = 1; i < count; ++i)
        call += ", ?";
    call += "), 2)";
    sqlite3_stmt *statement = nullptr;
    int code = sqlite3_prepare_v2(plain, call.c_str(), -1, &statement, nullptr);
    for (int i = 0; code == SQLITE_OK && i < count; ++i)
        code = sqlite3_bind_value(statement, i + 1, values[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_ROW)
        sqlite3_result_error_code(context, code);
    else if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
        sqlite3_result_error_toobig(context);
    else
        sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    sqlite3_finalize(statement);
}

void closePlain(void *plain)
{
    sqlite3_close(static_cast<sqlite3 *>(plain));
}

}  // namespace

int boundPrintf(sqlite3 *database, int most)
{
    sqlite3 *plain = nullptr;
    const int opened = sqlite3_open_v2(":memory:", &plain, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (opened != SQLITE_OK) {
        sqlite3_close(plain);
        return opened;
    }
    sqlite3_limit(plain, SQLITE_LIMIT_LENGTH, most);
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    // Both use the same database, which ends with the first.
    const int code =
        sqlite3_create_function_v2(database, "printf", -1, flags, plain, callPrintf, nullptr, nullptr, closePlain);
    return code != SQLITE_OK ? code
                             : sqlite3_create_function_v2(database, "format", -1, flags, plain, callPrintf, nullptr,
                                                          nullptr, nullptr);
}

}  // namespace ct::query
