// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/formatcontent.h"

#include "core/databases/schema.h"
#include "core/databases/traceviews.h"
#include "core/exporting/csv/csvcauses.h"
#include "core/exporting/csv/csvwriter.h"
#include "core/exporting/exportformat.h"

#include <QCoreApplication>
#include <QStringList>

namespace ct {

namespace {

struct ContentText {
    Q_DECLARE_TR_FUNCTIONS(ContentText)
};

QString text(std::string_view value)
{
    return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

QString typeName(ColumnType type)
{
    switch (type) {
    case ColumnType::Integer: return ContentText::tr("integer");
    case ColumnType::Unsigned:
    case ColumnType::UnsignedText: return ContentText::tr("unsigned 64-bit integer");
    case ColumnType::Boolean: return ContentText::tr("0 or 1");
    case ColumnType::Address: return ContentText::tr("address: 0x and 16 hexadecimal digits");
    case ColumnType::Word:
    case ColumnType::Text: return ContentText::tr("text");
    case ColumnType::Object: return ContentText::tr("number or address");
    }
    return {};
}

ContentItem tableContent(Table table, bool isOfServer)
{
    const TableSchema &schema = schemaOf(table);
    ContentItem item{text(isOfServer ? serverNameOf(table) : schema.name), {}, {}};
    QStringList keys;
    for (const QString &key : text(schema.key).split(u','))
        keys << key.trimmed();
    for (const Column &column : schema.columns) {
        QString what = typeName(column.type);
        if (keys.contains(text(column.name)))
            what += ContentText::tr(", key");
        else if (column.isNullable)
            what += ContentText::tr(", may be NULL");
        item.items.push_back({text(column.name), what, {}});
    }
    item.what = ContentText::tr("%1 columns").arg(item.items.size());
    return item;
}

ContentItem viewContent(const QString &name, const char *description)
{
    return {name, ContentText::tr("View: %1").arg(QLatin1String(description)), {}};
}

std::vector<ContentItem> databaseContent(bool isOfServer, const QString &eventsView)
{
    std::vector<ContentItem> content;
    for (std::size_t i = 0; i < kTables; ++i)
        content.push_back(tableContent(static_cast<Table>(i), isOfServer));
    if (isOfServer)
        content.push_back(viewContent(eventsView, "The events, by their name in SQLite or that of your choice"));
    else
        content.push_back(viewContent(QLatin1String(kEventsView.name), kEventsView.description));
    for (const TraceView &view : kTraceViews)
        content.push_back(viewContent(QLatin1String(view.name), view.description));
    return content;
}

ContentItem fileContent(const QString &name, const QString &what, std::string_view header)
{
    ContentItem item{name, what, {}};
    for (const QString &column : text(header).trimmed().split(u','))
        item.items.push_back({column, {}, {}});
    return item;
}

std::vector<ContentItem> csvContent()
{
    return {fileContent(ContentText::tr("File"), ContentText::tr("One row per event"), csvHeader()),
            fileContent(ContentText::tr("Second file, .causes.csv"), ContentText::tr("One row per wake, wait or use"),
                        csvCausesHeader())};
}

std::vector<ContentItem> jsonlContent()
{
    const auto fields = [](const QString &names) {
        std::vector<ContentItem> items;
        for (const QString &name : names.split(u' '))
            items.push_back({name, {}, {}});
        return items;
    };
    const QString events =
        QStringLiteral("probe_id tid addr seq is_active ts n coroutine kind file line function column resolved "
                       "birth_ts pid name parent lost_before missed_before dropped_before not_selected_before");
    const QString notes = QStringLiteral("wait wake use wakers_left finish birth death name parent process "
                                         "process_end thread drop switch selection");
    return {{ContentText::tr("Events"), ContentText::tr("One line each, with these fields"), fields(events)},
            {ContentText::tr("Notes"), ContentText::tr("One line each, with a field “note”"), fields(notes)}};
}

std::vector<ContentItem> viewerContent()
{
    return {{ContentText::tr("Tracks of threads"), ContentText::tr("Which coroutine runs"), {}},
            {ContentText::tr("Tracks of coroutines"),
             ContentText::tr("Running, suspended and finished, below a track of their function; with a limit on their "
                             "number"),
             {}},
            {ContentText::tr("Flows"), ContentText::tr("From a wake to the next resumption"), {}},
            {ContentText::tr("Gaps"), ContentText::tr("Separate slices for lost and missed events"), {}},
            {ContentText::tr("About"), ContentText::tr("The sums of the run"), {}}};
}

std::vector<ContentItem> recordingContent()
{
    return {{ContentText::tr("Stream"), ContentText::tr("All events, causes, names, gaps and drops"), {}},
            {ContentText::tr("Facts"), ContentText::tr("The machine, clocks, processes and their modules"), {}},
            {ContentText::tr("Locations"), ContentText::tr("Function, file and line of resolved addresses"), {}},
            {ContentText::tr("Sums"), ContentText::tr("Events captured, lost, missed and dropped"), {}},
            {ContentText::tr("Output"), ContentText::tr("What the target printed"), {}}};
}

std::vector<ContentItem> keptContent(const ExportFormat &format, const QString &eventsView)
{
    if (format.isOfServer() || format.kind == "sqlite")
        return databaseContent(format.isOfServer(), eventsView);
    if (format.kind == "csv")
        return csvContent();
    if (format.kind == kRecordingKind)
        return recordingContent();
    return format.kind == "jsonl" ? jsonlContent() : viewerContent();
}

}  // namespace

std::vector<ContentItem> contentOf(const ExportFormat &format, const QString &eventsView)
{
    std::vector<ContentItem> content = keptContent(format, eventsView);
    if (format.kind != kRecordingKind)
        content.push_back({ContentText::tr("Not kept"), ContentText::tr("What the target printed"), {}});
    return content;
}

}  // namespace ct
