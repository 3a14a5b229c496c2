// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Recordings of batch runs: makes a run write one, and reads it.
#pragma once

#include "tests/support/runner.h"

#include <QHash>

namespace recordings {

/// Records to the file `name` in the run's own directory.
inline void recordTo(runner::Batch &batch, const char *name)
{
    batch.process().setArguments(QStringList{QStringLiteral("-o"), batch.path(name)} + batch.process().arguments());
}

struct Recording {
    qint64 lines = 0;              ///< lines of events
    qint64 firstFields = 0;        ///< lines that begin with the six fields in order and form
    qint64 missing = 0;            ///< numbers missing between events of one coroutine
    qint64 inversions = 0;         ///< inversions of number or time within a coroutine
    QHash<QString, qint64> notes;  ///< note lines of each sort
};

/// Reads a recording strictly: every line must be complete and an object.
inline Recording readRecording(const QString &path)
{
    Recording recording;
    const QByteArray all = runner::readAll(path);
    if (!all.isEmpty() && !all.endsWith('\n'))
        return recording;
    static const QRegularExpression form(
        QStringLiteral("^\\{\"probe_id\":\\d+,\"tid\":\\d+,\"addr\":\"0x[0-9a-f]{16}\","
                       "\"seq\":\\d+,\"is_active\":(true|false),\"ts\":\\d+,"));
    struct Next {
        qint64 number = 0, time = 0;
    };
    QHash<qint64, Next> coroutines;
    for (const QByteArray &line : all.split('\n')) {
        if (line.isEmpty())
            continue;
        const QJsonObject object = QJsonDocument::fromJson(line).object();
        if (line.startsWith("{\"note\":")) {
            ++recording.notes[object.value(QLatin1String("note")).toString()];
            continue;
        }
        const qint64 number = runner::integer(object, "n");
        const qint64 time = runner::integer(object, "ts");
        Next &next = coroutines[runner::integer(object, "coroutine")];
        recording.lines += object.isEmpty() ? 0 : 1;
        recording.firstFields += form.match(QString::fromUtf8(line)).hasMatch() ? 1 : 0;
        recording.missing += qMax<qint64>(0, number - next.number);
        recording.inversions += number < next.number || time < next.time ? 1 : 0;
        next = {number + 1, time};
    }
    return recording;
}

}  // namespace recordings
