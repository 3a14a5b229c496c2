// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Streams for the tests of trace viewers, their exports, and the slices in them as texts.
#pragma once

#include "core/exporting/viewers/chromeencoder.h"
#include "core/exporting/viewers/perfettoencoder.h"
#include "core/exporting/viewers/viewerwriter.h"
#include "tests/core/exporting/exportsupport.h"
#include "tests/core/exporting/perfettofile.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <initializer_list>
#include <stdexcept>

namespace viewertest {

using namespace exporttest;
using perfettotest::File;
using perfettotest::Slice;

inline constexpr std::uint64_t kHighBit = std::uint64_t{1} << 63;

/// A suspension and a resumption, with everything about their thread and site.
inline Transition suspension(CoroutineId id, std::uint64_t n, std::uint64_t ts, SiteId site = 2, std::uint32_t tid = 77)
{
    Transition event = transition(id, n, ts, false, site, PointKind::Await, Dialect::Lane);
    event.tid = tid;
    return event;
}
inline Transition resumption(CoroutineId id, std::uint64_t n, std::uint64_t ts, std::uint32_t tid = 77)
{
    Transition event = transition(id, n, ts, true, kUnknownSite, PointKind::Await, Dialect::Lane);
    event.tid = tid;
    return event;
}

inline Batch begun(CoroutineId coroutines)
{
    Batch batch;
    batch.sites = {{1, 10, 5, "task.h", "Promise::initial_suspend()"},
                   {2, 20, 5, "server.cpp", "serve(int)"},
                   {3, 30, 0, "pool.cpp", "work()"}};
    for (CoroutineId id = 0; id < coroutines; ++id)
        batch.births.push_back(birth(id, 100 + id, Dialect::Lane));
    return batch;
}

inline QByteArray exported(std::string_view extension, const std::vector<Batch> &batches,
                           const viewers::TrackLimits &limits = {}, std::string *remark = nullptr,
                           const Accounting &sums = {})
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("run"));
    auto encoder = extension == "json" ? viewers::makeChromeEncoder() : viewers::makePerfettoEncoder();
    auto sink = viewers::makeViewerWriter(path.toStdString(), std::move(encoder), {}, limits);
    if (!sink)
        throw std::runtime_error(sink.error().message);
    std::uint64_t events = 0;
    for (const Batch &batch : batches) {
        if (!(*sink)->consume(batch))
            throw std::runtime_error("consume() failed");
        events += batch.transitions.size();
    }
    if (!(*sink)->finish(sums) || (*sink)->written() != events)
        throw std::runtime_error("finish() failed, or events are missing");
    if (remark)
        *remark = (*sink)->remark();
    return contentOf(path);
}

inline File perfetto(const std::vector<Batch> &batches, const viewers::TrackLimits &limits = {})
{
    return File(exported("pftrace", batches, limits));
}

inline QJsonArray chrome(const std::vector<Batch> &batches)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(exported("json", batches), &error);
    if (error.error != QJsonParseError::NoError)
        throw std::runtime_error(error.errorString().toStdString());
    return document.array();
}

inline QStringList listOf(std::initializer_list<const char *> texts)
{
    QStringList list;
    for (const char *text : texts)
        list << QString::fromUtf8(text);
    return list;
}

/// "name 10-20 key=value", without the arguments that every slice has.
inline QStringList textsOf(const std::vector<Slice> &slices)
{
    QStringList texts;
    for (const Slice &slice : slices) {
        QString text = QStringLiteral("%1%2 %3-%4")
                           .arg(QString(static_cast<qsizetype>(slice.depth), u'>'), QString::fromStdString(slice.name))
                           .arg(slice.ts)
                           .arg(slice.end);
        for (const auto &[name, value] : slice.args) {
            if (name != "n" && name != "tid" && name != "coroutine" && name != "probe_id" && name != "birth_ts")
                text += QStringLiteral(" %1=%2").arg(QString::fromStdString(name), QString::fromStdString(value));
        }
        texts << text;
    }
    return texts;
}

}  // namespace viewertest
