// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/databases/mysql/mysqlddl.h"

#include "core/databases/mysql/mysqlconnection.h"
#include "core/databases/sqltext.h"
#include "core/databases/traceviews.h"

namespace ct::mysql {

namespace {

std::string partitioned(Table table)
{
    return mysqlIdentifier("all_" + std::string(serverNameOf(table)));
}

std::string partitionName(std::uint64_t session)
{
    return "session_" + std::to_string(session);
}

std::string_view typeName(ColumnType type)
{
    switch (type) {
    case ColumnType::Integer: return "BIGINT";
    case ColumnType::Unsigned:
    case ColumnType::UnsignedText: return "BIGINT UNSIGNED";
    case ColumnType::Boolean: return "BOOLEAN";
    case ColumnType::Address: return "VARCHAR(18) CHARACTER SET ascii";
    case ColumnType::Object: return "VARCHAR(20) CHARACTER SET ascii";
    case ColumnType::Word: return "VARCHAR(32) CHARACTER SET ascii";
    case ColumnType::Text: break;
    }
    return "LONGTEXT";
}

std::string columnNames(const TableSchema &schema)
{
    return ct::columnNames(schema, &mysqlIdentifier);
}

std::string makePartitioned(Table table)
{
    const TableSchema &schema = schemaOf(table);
    std::string columns = "session INT UNSIGNED NOT NULL";
    for (const Column &column : schema.columns)
        columns += ", " + mysqlIdentifier(column.name) + " " + std::string(typeName(column.type)) +
                   (column.isNullable ? " NULL" : " NOT NULL");
    if (!schema.key.empty())
        columns += ", PRIMARY KEY (session, " + std::string(schema.key) + ")";
    for (const IndexSchema &index : tableIndexes()) {
        if (index.table == table)
            columns += ", KEY " + mysqlIdentifier(index.name) + " (" + std::string(index.columns) + ")";
    }
    // A partitioned table needs a partition, and no session has the number 0.
    return "CREATE TABLE IF NOT EXISTS " + partitioned(table) + " (" + columns +
           ") ENGINE = InnoDB CHARACTER SET utf8mb4 PARTITION BY LIST (session) (PARTITION none VALUES IN (0))";
}

/// `condition`: of the sessions of which the view shows the latest.
std::string makeView(const std::string &name, Table table, const std::string &condition = {})
{
    return "CREATE OR REPLACE VIEW " + mysqlIdentifier(name) + " AS SELECT " + columnNames(schemaOf(table)) + " FROM " +
           partitioned(table) + " WHERE session = (SELECT session FROM stored_sessions WHERE stored_at IS NOT NULL" +
           condition + " ORDER BY stored_at DESC, session DESC LIMIT 1)";
}

/// Translates a view of traceviews.h from the SQL of SQLite. In MySQL, a negative difference of unsigned numbers fails.
std::string translated(std::string select)
{
    select = withReplaced(std::move(select), "coro_trace_events", "events");
    select = withReplaced(std::move(select), "coalesce(' ' || w.target, ' ' || w.object, ''), ', ')",
                          "coalesce(' ' || w.target, ' ' || w.object, '') SEPARATOR ', ')");
    select = withReplaced(std::move(select), " AS INTEGER)", " AS SIGNED)");
    return withReplaced(std::move(select), "lead(ts) OVER w", "lead(CAST(ts AS DECIMAL(20))) OVER w");
}

}  // namespace

std::vector<std::string> makeSchema()
{
    std::vector<std::string> sql{
        "CREATE TABLE IF NOT EXISTS stored_sessions (session INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,"
        " session_key TEXT NULL, stored_at TIMESTAMP(6) NULL) ENGINE = InnoDB CHARACTER SET utf8mb4"};
    for (std::size_t i = 0; i < kTables; ++i) {
        const Table table = static_cast<Table>(i);
        sql.push_back(makePartitioned(table));
        if (table != Table::Sessions)
            sql.push_back(makeView(std::string(serverNameOf(table)), table));
    }
    sql.push_back("CREATE OR REPLACE VIEW sessions AS SELECT session, session_key AS `key`, stored_at, " +
                  columnNames(schemaOf(Table::Sessions)) +
                  " FROM stored_sessions JOIN all_sessions USING (session) WHERE stored_at IS NOT NULL");
    for (const TraceView &view : kTraceViews)
        sql.push_back("CREATE OR REPLACE VIEW " + std::string(view.name) + " AS " + translated(view.select));
    return sql;
}

std::string makeFlatView(const std::string &flatView, const std::string &keyPrefix)
{
    if (keyPrefix.empty())
        return makeView(flatView, Table::Events);
    // Compares bytes, because collations ignore case, among others.
    const std::string prefix = "CAST(" + mysqlLiteral(keyPrefix) + " AS BINARY)";
    return makeView(flatView, Table::Events,
                    " AND LEFT(CAST(session_key AS BINARY), LENGTH(" + prefix + ")) = " + prefix);
}

std::string findViewsOfOthers(const std::string &flatView)
{
    const ViewNames names = viewNames(flatView, &mysqlLiteral);
    return "SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND CASE WHEN TABLE_NAME "
           "IN (" +
           names.ofTraces +
           ") THEN LOCATE(CONCAT(DATABASE(), '`.`events`'), VIEW_DEFINITION) = 0 WHEN TABLE_NAME = 'sessions' THEN"
           " LOCATE('`all_sessions`', VIEW_DEFINITION) = 0 WHEN TABLE_NAME IN (" +
           names.ofTables + ") THEN LOCATE('`stored_sessions`', VIEW_DEFINITION) = 0 ELSE false END";
}

std::string findTablesOfOthers(const std::string &flatView)
{
    const ViewNames names = viewNames(flatView, &mysqlLiteral);
    std::string partitionedTables;
    for (std::size_t i = 0; i < kTables; ++i)
        partitionedTables +=
            (i == 0 ? "" : ", ") + mysqlLiteral("all_" + std::string(serverNameOf(static_cast<Table>(i))));
    const std::string collectors = findCollectorsTable(flatView);
    return "SELECT TABLE_NAME FROM information_schema.TABLES t WHERE TABLE_SCHEMA = DATABASE() AND CASE WHEN TABLE_NAME"
           " IN (" +
           names.ofTables + ", " + names.ofTraces + ") THEN TABLE_TYPE <> 'VIEW' AND TABLE_NAME NOT IN (" + collectors +
           ") WHEN TABLE_NAME = " + mysqlLiteral(movedTable(flatView)) + " THEN EXISTS (" + collectors +
           ") WHEN TABLE_NAME IN (" + partitionedTables +
           ") THEN coalesce(CREATE_OPTIONS, '') NOT LIKE '%partitioned%' WHEN TABLE_NAME = 'stored_sessions' THEN"
           " NOT EXISTS (SELECT 1 FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = t.TABLE_SCHEMA AND"
           " c.TABLE_NAME = t.TABLE_NAME AND c.COLUMN_NAME = 'session_key') ELSE false END";
}

std::string findCollectorsTable(const std::string &flatView)
{
    return "SELECT o.TABLE_NAME FROM information_schema.TABLES o WHERE o.TABLE_SCHEMA = DATABASE() AND o.TABLE_TYPE ="
           " 'BASE TABLE' AND o.TABLE_NAME = " +
           mysqlLiteral(flatView) +
           " AND (SELECT group_concat(COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS c WHERE"
           " c.TABLE_SCHEMA = o.TABLE_SCHEMA AND c.TABLE_NAME = o.TABLE_NAME) = " +
           mysqlLiteral(kCollectorsColumns);
}

std::string moveCollectorsTable(const std::string &flatView)
{
    return "RENAME TABLE " + mysqlIdentifier(flatView) + " TO " + mysqlIdentifier(movedTable(flatView));
}

std::string loadedTable(Table table, std::uint64_t session)
{
    return mysqlIdentifier(std::string(serverNameOf(table)) + "_of_session_" + std::to_string(session));
}

std::vector<std::string> makeLoadedTable(Table table, std::uint64_t session)
{
    std::vector<std::string> sql{"CREATE TABLE " + loadedTable(table, session) + " LIKE " + partitioned(table),
                                 "ALTER TABLE " + loadedTable(table, session) + " REMOVE PARTITIONING"};
    for (const IndexSchema &index : tableIndexes()) {
        if (index.table == table)
            sql.push_back("ALTER TABLE " + loadedTable(table, session) + " DROP KEY " + mysqlIdentifier(index.name));
    }
    return sql;
}

std::string makeKeys(Table table, std::uint64_t session)
{
    std::string keys;
    for (const IndexSchema &index : tableIndexes()) {
        if (index.table == table)
            keys += (keys.empty() ? "" : ", ") + ("ADD KEY " + mysqlIdentifier(index.name)) + " (" +
                    std::string(index.columns) + ")";
    }
    return keys.empty() ? "" : "ALTER TABLE " + loadedTable(table, session) + " " + keys;
}

std::vector<std::string> attachLoadedTable(Table table, std::uint64_t session)
{
    // Every row was loaded with the number of the session. MySQL from 5.7.5 on, and MariaDB from 11.4 on, need not
    // read them again.
    constexpr const char *kTrusted = " /*!50705 WITHOUT VALIDATION */ /*M!110402 WITHOUT VALIDATION */";
    return {"ALTER TABLE " + partitioned(table) + " ADD PARTITION (PARTITION " + partitionName(session) +
                " VALUES IN (" + std::to_string(session) + "))",
            "ALTER TABLE " + partitioned(table) + " EXCHANGE PARTITION " + partitionName(session) + " WITH TABLE " +
                loadedTable(table, session) + kTrusted,
            "DROP TABLE " + loadedTable(table, session)};
}

std::string findRemovals(std::uint64_t session)
{
    const std::string number = std::to_string(session);
    return "SELECT CONCAT('DROP TABLE `', TABLE_NAME, '`') FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
           "DATABASE()"
           " AND TABLE_NAME REGEXP '_of_session_" +
           number +
           "$' UNION ALL SELECT CONCAT('ALTER TABLE `', TABLE_NAME, '` DROP PARTITION ', PARTITION_NAME) FROM"
           " information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'all\\_%' AND"
           " PARTITION_NAME = '" +
           partitionName(session) + "'";
}

std::string insertInto(Table table, std::uint64_t session)
{
    return "INSERT INTO " + loadedTable(table, session) + " (session, " + columnNames(schemaOf(table)) + ") VALUES ";
}

}  // namespace ct::mysql
