// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/capturesettings.h"

#include "ui/format/format.h"

#include <QCoreApplication>
#include <QSettings>

#include <algorithm>
#include <bit>

namespace ct {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("CaptureSettings", text);
}

}  // namespace

void CaptureSettings::applyTo(StartRequest &request) const
{
    request.maxOverhead = maxOverhead();
    CaptureSpec &spec = request.capture;
    spec.lanes = lanes;
    spec.laneBytes = static_cast<std::uint64_t>(laneKiB) << 10;
    spec.lanePoolBytes = static_cast<std::uint64_t>(poolMiB) << 20;
    spec.laneRetentionMs = static_cast<std::uint32_t>(retentionSec) * 1000;
}

QString CaptureSettings::summary() const
{
    QString text = lanes ? tr("lanes of %1, %2 in all")
                               .arg(format::bytes(static_cast<std::uint64_t>(laneKiB) << 10),
                                    format::bytes(static_cast<std::uint64_t>(poolMiB) << 20))
                         : tr("no lanes");
    text += QStringLiteral("; ");
    text += record ? tr("recorded, %1 at most").arg(format::bytes(recordBytes())) : tr("not recorded");
    text += QStringLiteral("; ");
    if (overheadPercent != 0)
        text += tr("costs the target at most %1 %").arg(overheadPercent) + QStringLiteral("; ");
    if (keepMiB == 0 && keepSec == 0)
        return text + tr("keeps as much as memory allows");
    const QString seconds = format::duration(keepNs());
    if (keepMiB == 0)
        return text + tr("keeps the last %1").arg(seconds);
    return text + (keepSec == 0 ? tr("keeps the last %1").arg(format::bytes(keepBytes()))
                                : tr("keeps the last %1, at most %2").arg(seconds, format::bytes(keepBytes())));
}

std::optional<RecordingFolder> CaptureSettings::recordingFolder() const
{
    if (!record)
        return std::nullopt;
    return RecordingFolder{recordingsDirectory(), recordBytes()};
}

CaptureSettings CaptureSettings::load(const QSettings &settings)
{
    const CaptureSettings usual;
    const auto number = [&settings](const char *name, int otherwise, int least, int most) {
        bool ok = false;
        const int value = settings.value(QLatin1String(name)).toInt(&ok);
        return ok ? std::clamp(value, least, most) : otherwise;
    };
    CaptureSettings loaded;
    loaded.lanes = settings.value(QStringLiteral("capture/lanes"), usual.lanes).toBool();
    const int lane = number("capture/laneKiB", usual.laneKiB, kSmallestLaneKiB, kLargestLaneKiB);
    loaded.laneKiB = static_cast<int>(std::bit_floor(static_cast<unsigned>(lane)));
    loaded.poolMiB = number("capture/poolMiB", usual.poolMiB, 1, kLargestPoolMiB);
    loaded.retentionSec = number("capture/retentionSec", usual.retentionSec, 0, 3600);
    loaded.keepMiB = number("capture/keepMiB", usual.keepMiB, 0, kLargestKeepMiB);
    if (loaded.keepMiB > 0)
        loaded.keepMiB = std::max(loaded.keepMiB, kSmallestKeepMiB);
    loaded.keepSec = number("capture/keepSec", usual.keepSec, 0, 1'000'000);
    loaded.overheadPercent = number("capture/overheadPercent", usual.overheadPercent, 0, 100);
    loaded.record = settings.value(QStringLiteral("capture/record"), usual.record).toBool();
    loaded.recordMiB = number("capture/recordMiB", usual.recordMiB, kSmallestRecordMiB, kLargestRecordMiB);
    loaded.recordTotalMiB =
        number("capture/recordTotalMiB", usual.recordTotalMiB, kSmallestRecordMiB, kLargestRecordMiB);
    return loaded;
}

void CaptureSettings::save(QSettings &settings) const
{
    settings.setValue(QStringLiteral("capture/lanes"), lanes);
    settings.setValue(QStringLiteral("capture/laneKiB"), laneKiB);
    settings.setValue(QStringLiteral("capture/poolMiB"), poolMiB);
    settings.setValue(QStringLiteral("capture/retentionSec"), retentionSec);
    settings.setValue(QStringLiteral("capture/keepMiB"), keepMiB);
    settings.setValue(QStringLiteral("capture/keepSec"), keepSec);
    settings.setValue(QStringLiteral("capture/overheadPercent"), overheadPercent);
    settings.setValue(QStringLiteral("capture/record"), record);
    settings.setValue(QStringLiteral("capture/recordMiB"), recordMiB);
    settings.setValue(QStringLiteral("capture/recordTotalMiB"), recordTotalMiB);
}

}  // namespace ct
