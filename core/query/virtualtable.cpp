// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/virtualtable.h"

#include <cmath>
#include <new>
#include <sqlite3.h>
#include <string>

namespace ct::query {

namespace {

/// A table of one database. SQLite owns it as the client data of the module.
struct Module {
    const VirtualTable &table;
    Snapshot &snapshot;
};

struct OpenTable : sqlite3_vtab {
    const Module *module = nullptr;
};

struct OpenCursor : sqlite3_vtab_cursor {
    std::unique_ptr<Cursor> cursor;
    bool isAtEnd = true;
    sqlite3_int64 row = 0;
};

/// The conditions that xBestIndex has chosen, in the order of xFilter's arguments.
enum Condition : int { kKey = 1, kFrom = 2, kTo = 4, kThread = 8, kNumber = 16 };
constexpr int kConditions[] = {kKey, kFrom, kTo, kThread, kNumber};

/// Times from here on are negative in SQL.
constexpr double kFirstNegativeTime = 9223372036854775808.0;

const Module &moduleOf(sqlite3_vtab *table)
{
    return *static_cast<OpenTable *>(table)->module;
}

/// Runs a step of a scan. Exceptions must not pass through SQLite.
template <class Part>
int run(Part &&part)
{
    try {
        return part();
    } catch (const std::bad_alloc &) {
        return SQLITE_NOMEM;
    }
}

bool isInMemory(const Column &column)
{
    return !column.name.ends_with("after_event");
}

std::string declarationOf(const VirtualTable &table)
{
    std::string text = "CREATE TABLE t (";
    for (const Column &column : schemaOf(table.schema).columns) {
        if (!isInMemory(column))
            continue;
        text.append(text.back() == '(' ? "\"" : ", \"").append(column.name).append("\"");
        const bool isNumber = column.type == ColumnType::Integer || column.type == ColumnType::Unsigned ||
                              column.type == ColumnType::Boolean;
        if (column.type != ColumnType::Object)
            text += isNumber ? " INTEGER" : " TEXT";
    }
    return text += ")";
}

int connect(sqlite3 *database, void *client, int, const char *const *, sqlite3_vtab **to, char **)
{
    const auto *module = static_cast<const Module *>(client);
    return run([&] {
        const std::string declaration = declarationOf(module->table);
        if (const int code = sqlite3_declare_vtab(database, declaration.c_str()); code != SQLITE_OK)
            return code;
        auto table = std::make_unique<OpenTable>();
        table->module = module;
        *to = table.release();
        return SQLITE_OK;
    });
}

int disconnect(sqlite3_vtab *table)
{
    delete static_cast<OpenTable *>(table);
    return SQLITE_OK;
}

int conditionOf(const VirtualTable &table, int column, unsigned char operation)
{
    const bool isTime = column >= 0 && column == table.timeColumn;
    switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        if (column >= 0 && column == table.keyColumn)
            return kKey;
        if (column >= 0 && column == table.orderColumn)
            return kNumber;
        return column >= 0 && column == table.threadColumn ? kThread : 0;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE: return isTime ? kFrom : 0;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE: return isTime ? kTo : 0;
    default: return 0;
    }
}

/// True if a scan is in the wanted order: by number, by key, by key and then order column, or, for one key, by order
/// column.
bool isInOrder(const VirtualTable &table, const sqlite3_index_info &info, bool hasKey)
{
    if (table.orderColumn < 0 || info.nOrderBy > 2)
        return false;
    if (info.nOrderBy == 1 && info.aOrderBy[0].iColumn == table.numberColumn)
        return !info.aOrderBy[0].desc;
    int expected = table.keyColumn;
    for (int i = 0; i < info.nOrderBy; ++i) {
        const auto &wanted = info.aOrderBy[i];
        if (wanted.desc)
            return false;
        if (wanted.iColumn == table.orderColumn && (hasKey || expected == table.orderColumn))
            return i + 1 == info.nOrderBy;
        if (wanted.iColumn != table.keyColumn || expected != table.keyColumn)
            return false;
        expected = table.orderColumn;
    }
    return info.nOrderBy > 0;
}

int bestIndex(sqlite3_vtab *openTable, sqlite3_index_info *info)
{
    const Module &module = moduleOf(openTable);
    const VirtualTable &table = module.table;
    int argument = 0;
    info->idxNum = 0;
    for (const int condition : kConditions) {
        for (int i = 0; i < info->nConstraint; ++i) {
            const auto &constraint = info->aConstraint[i];
            if (!constraint.usable || conditionOf(table, constraint.iColumn, constraint.op) != condition)
                continue;
            info->aConstraintUsage[i].argvIndex = ++argument;
            info->idxNum |= condition;
            break;
        }
    }
    const bool hasKey = (info->idxNum & kKey) != 0;
    auto rows = static_cast<double>(table.rows(module.snapshot));
    double cost = rows;
    if (hasKey) {
        rows = table.isKeyUnique ? 1 : std::max(1.0, rows / std::max(1U, module.snapshot.coroutineCount()));
        cost = rows + 2;
    }
    if ((info->idxNum & (kFrom | kTo)) != 0) {
        rows /= 4;
        cost /= 2;
    }
    if ((info->idxNum & kNumber) != 0)
        rows = hasKey ? 1 : rows / 16;
    if ((info->idxNum & kThread) != 0) {
        rows /= 4;
        cost *= 0.75;
    }
    info->estimatedCost = std::max(1.0, cost);
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(1.0, rows));
    info->orderByConsumed = isInOrder(table, *info, hasKey);
    return SQLITE_OK;
}

int open(sqlite3_vtab *table, sqlite3_vtab_cursor **to)
{
    return run([&] {
        auto cursor = std::make_unique<OpenCursor>();
        const Module &module = moduleOf(table);
        cursor->cursor = module.table.open(module.snapshot);
        *to = cursor.release();
        return SQLITE_OK;
    });
}

int close(sqlite3_vtab_cursor *cursor)
{
    delete static_cast<OpenCursor *>(cursor);
    return SQLITE_OK;
}

int step(OpenCursor &cursor)
{
    cursor.isAtEnd = !cursor.cursor->next();
    ++cursor.row;
    return moduleOf(cursor.pVtab).snapshot.isCancelled() ? SQLITE_INTERRUPT : SQLITE_OK;
}

int next(sqlite3_vtab_cursor *cursor)
{
    return run([&] { return step(*static_cast<OpenCursor *>(cursor)); });
}

/// A bound like (SELECT last_ts FROM sessions) - 1e9 is a real number. The bounds here are integers next to it.
void addRealTime(Filter &filter, int condition, double time)
{
    if (!(time >= 0 && time < kFirstNegativeTime))
        return;
    if (condition == kFrom)
        filter.from = static_cast<std::uint64_t>(time);
    else if (condition == kTo)
        filter.to = static_cast<std::uint64_t>(std::ceil(time));
}

/// The integers that can satisfy a condition. Other numbers and texts are left to SQLite.
void addCondition(Filter &filter, int condition, sqlite3_value *value, bool &isEmpty)
{
    const int type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_NULL)
        isEmpty = true;
    if (type == SQLITE_FLOAT)
        addRealTime(filter, condition, sqlite3_value_double(value));
    if (type != SQLITE_INTEGER)
        return;
    const sqlite3_int64 number = sqlite3_value_int64(value);
    const auto asUnsigned = static_cast<std::uint64_t>(number);
    switch (condition) {
    case kKey: filter.key = asUnsigned; break;
    case kThread: filter.tid = asUnsigned; break;
    case kNumber: filter.number = asUnsigned; break;
    // Times from 2^63 on are negative numbers in SQL.
    case kFrom: filter.from = number < 0 ? 0 : asUnsigned; break;
    case kTo: filter.to = number < 0 ? Filter::kLatest : asUnsigned; break;
    default: break;
    }
}

int filter(sqlite3_vtab_cursor *openCursor, int conditions, const char *, int, sqlite3_value **values)
{
    return run([&] {
        OpenCursor &cursor = *static_cast<OpenCursor *>(openCursor);
        Filter filter;
        bool isEmpty = false;
        int argument = 0;
        for (const int condition : kConditions) {
            if ((conditions & condition) != 0)
                addCondition(filter, condition, values[argument++], isEmpty);
        }
        cursor.row = 0;
        cursor.isAtEnd = true;
        if (isEmpty)
            return SQLITE_OK;
        cursor.cursor->start(filter);
        return step(cursor);
    });
}

int isAtEnd(sqlite3_vtab_cursor *cursor)
{
    return static_cast<OpenCursor *>(cursor)->isAtEnd;
}

int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    return run([&] {
        SqlValue value(context);
        static_cast<OpenCursor *>(cursor)->cursor->put(column, value);
        return SQLITE_OK;
    });
}

int rowId(sqlite3_vtab_cursor *openCursor, sqlite3_int64 *to)
{
    const OpenCursor &cursor = *static_cast<OpenCursor *>(openCursor);
    const std::uint64_t id = cursor.cursor->rowId();
    *to = id != 0 ? static_cast<sqlite3_int64>(id) : cursor.row;
    return SQLITE_OK;
}

/// There is no xCreate, so a query uses the tables by name and cannot create any.
const sqlite3_module kModule = [] {
    sqlite3_module module{};
    module.xConnect = connect;
    module.xBestIndex = bestIndex;
    module.xDisconnect = disconnect;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = filter;
    module.xNext = next;
    module.xEof = isAtEnd;
    module.xColumn = column;
    module.xRowid = rowId;
    return module;
}();

}  // namespace

std::vector<std::string_view> columnsOf(const VirtualTable &table)
{
    std::vector<std::string_view> names;
    for (const Column &column : schemaOf(table.schema).columns) {
        if (isInMemory(column))
            names.push_back(column.name);
    }
    return names;
}

int addTables(sqlite3 *database, Snapshot &snapshot)
{
    for (const VirtualTable &table : tables()) {
        const int code = sqlite3_create_module_v2(database, schemaOf(table.schema).name.data(), &kModule,
                                                  new Module{table, snapshot},
                                                  [](void *module) { delete static_cast<Module *>(module); });
        if (code != SQLITE_OK)
            return code;
    }
    return SQLITE_OK;
}

}  // namespace ct::query
