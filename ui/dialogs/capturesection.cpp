// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/capturesection.h"

#include "ui/format/format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace ct {

CaptureSection::CaptureSection(QWidget *parent)
    : QWidget(parent), m_title(new QToolButton(this)), m_summary(new QLabel(this)), m_body(new QWidget(this))
{
    setObjectName(QStringLiteral("captureSection"));
    m_title->setObjectName(QStringLiteral("captureUnfold"));
    m_title->setText(tr("&Capture"));
    m_title->setToolTip(tr("Memory of the lanes, limits for the events in memory, and the "
                           "recording of the run"));
    m_title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_title->setArrowType(Qt::RightArrow);
    m_title->setCheckable(true);
    m_title->setAutoRaise(true);
    m_summary->setObjectName(QStringLiteral("captureSummary"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    auto *line = new QHBoxLayout;
    line->addWidget(m_title);
    line->addWidget(m_summary, 1);
    auto *form = new QFormLayout(m_body);
    form->setContentsMargins(22, 0, 0, 4);
    makeFields(form);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(line);
    layout->addWidget(m_body);
    m_body->hide();
    connect(m_title, &QToolButton::toggled, this, [this](bool open) {
        m_body->setVisible(open);
        m_title->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        Q_EMIT folded(open);
    });
    setSettings(CaptureSettings());
}

void CaptureSection::makeFields(QFormLayout *form)
{
    m_lanes = new QCheckBox(tr("Complete &history: a ring of events for each thread (a lane)"), m_body);
    m_lanes->setObjectName(QStringLiteral("captureLanes"));
    m_lanes->setToolTip(tr("Without lanes, a station keeps only the latest eight events of "
                           "its coroutine. Events that a fast target overwrites before they "
                           "are captured are lost. Programs with an older probe never have "
                           "lanes."));
    form->addRow(m_lanes);
    m_lane = new QComboBox(m_body);
    m_lane->setObjectName(QStringLiteral("captureLaneSize"));
    for (int kib = CaptureSettings::kSmallestLaneKiB; kib <= CaptureSettings::kLargestLaneKiB; kib *= 2)
        m_lane->addItem(format::bytes(static_cast<std::uint64_t>(kib) << 10), kib);
    m_lane->setToolTip(tr("A thread that fills its lane faster than it is read drops events, which are counted and "
                          "drawn as gaps. An event takes 32 bytes."));
    form->addRow(tr("Size of a &lane"), m_lane);
    m_pool = addNumber(form, "capturePool", tr("&All lanes together"),
                       tr("When this memory is used up, further threads have no lane, and "
                          "their events are counted as lost. Memory is allocated as it is "
                          "needed."));
    m_pool->setRange(1, CaptureSettings::kLargestPoolMiB);
    m_pool->setSuffix(tr(" MiB"));
    m_retention = addNumber(form, "captureRetention", tr("Lane of an ended &thread"),
                            tr("How long the events of an ended thread stay in its lane "
                               "before another thread may overwrite them, if the region is "
                               "not read all the time"));
    m_retention->setRange(0, 3600);
    m_retention->setSuffix(tr(" s"));
    m_overhead =
        addNumber(form, "captureOverhead", tr("&Observer effect at most"),
                  tr("If tracing would cost the target more than this share of its processor time, it is "
                     "switched off and on in turns. Coroutines that are born while it is off are not traced."));
    m_overhead->setRange(0, 100);
    m_overhead->setSuffix(tr(" %"));
    m_overhead->setSpecialValueText(tr("no limit"));
    m_keepMiB = addNumber(form, "captureKeepMiB", tr("&Keep at most"),
                          tr("Memory for events in this window. When it is used up, the "
                             "oldest events are evicted. Sums and the present state of every "
                             "coroutine stay."));
    m_keepMiB->setRange(0, CaptureSettings::kLargestKeepMiB);
    m_keepMiB->setSingleStep(64);
    m_keepMiB->setSuffix(tr(" MiB"));
    m_keepMiB->setSpecialValueText(tr("a quarter of the machine's memory"));
    m_keepSec = addNumber(form, "captureKeepSec", tr("Keep the la&st"),
                          tr("Older events are evicted, as in a flight recorder: let the "
                             "target run, and dump the events when something has happened."));
    m_keepSec->setRange(0, 1'000'000);
    m_keepSec->setSuffix(tr(" s"));
    m_keepSec->setSpecialValueText(tr("no time limit"));
    makeRecordingFields(form);
    for (const QSpinBox *box : {m_pool, m_retention, m_overhead, m_keepMiB, m_keepSec, m_recordMiB, m_recordTotalMiB})
        connect(box, &QSpinBox::valueChanged, this, &CaptureSection::applyFields);
    for (const QCheckBox *box : {m_lanes, m_record})
        connect(box, &QCheckBox::toggled, this, &CaptureSection::applyFields);
    connect(m_lane, &QComboBox::currentIndexChanged, this, &CaptureSection::applyFields);
}

void CaptureSection::makeRecordingFields(QFormLayout *form)
{
    m_record = new QCheckBox(tr("R&ecord the run, to be opened again later"), m_body);
    m_record->setObjectName(QStringLiteral("captureRecord"));
    m_record->setToolTip(tr("The recording is written to %1. The Recordings view lists all "
                            "recordings.")
                             .arg(recordingsDirectory()));
    form->addRow(m_record);
    m_recordMiB = addNumber(form, "captureRecordMiB", tr("Recording at &most"),
                            tr("If a recording needs more space on the disk, only its latest "
                               "part is kept."));
    m_recordMiB->setRange(CaptureSettings::kSmallestRecordMiB, CaptureSettings::kLargestRecordMiB);
    m_recordMiB->setSingleStep(256);
    m_recordMiB->setSuffix(tr(" MiB"));
    m_recordTotalMiB = addNumber(form, "captureRecordTotalMiB", tr("All &recordings"),
                                 tr("When a run begins and all recordings together may exceed "
                                    "this size, the oldest ones are deleted. To keep a "
                                    "recording, use Save As."));
    m_recordTotalMiB->setRange(CaptureSettings::kSmallestRecordMiB, CaptureSettings::kLargestRecordMiB);
    m_recordTotalMiB->setSingleStep(1024);
    m_recordTotalMiB->setSuffix(tr(" MiB"));
}

QSpinBox *CaptureSection::addNumber(QFormLayout *form, const char *name, const QString &label, const QString &toolTip)
{
    auto *box = new QSpinBox(m_body);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(toolTip);
    box->setWhatsThis(toolTip);
    box->setGroupSeparatorShown(true);
    form->addRow(label, box);
    return box;
}

CaptureSettings CaptureSection::settings() const
{
    CaptureSettings settings;
    settings.lanes = m_lanes->isChecked();
    settings.laneKiB = m_lane->currentData().toInt();
    settings.poolMiB = m_pool->value();
    settings.retentionSec = m_retention->value();
    settings.keepMiB = m_keepMiB->value() == 0 ? 0 : std::max(m_keepMiB->value(), CaptureSettings::kSmallestKeepMiB);
    settings.keepSec = m_keepSec->value();
    settings.overheadPercent = m_overhead->value();
    settings.record = m_record->isChecked();
    settings.recordMiB = m_recordMiB->value();
    settings.recordTotalMiB = m_recordTotalMiB->value();
    return settings;
}

void CaptureSection::setSettings(const CaptureSettings &settings)
{
    m_lanes->setChecked(settings.lanes);
    m_lane->setCurrentIndex(m_lane->findData(settings.laneKiB));
    m_pool->setValue(settings.poolMiB);
    m_retention->setValue(settings.retentionSec);
    m_keepMiB->setValue(settings.keepMiB);
    m_keepSec->setValue(settings.keepSec);
    m_overhead->setValue(settings.overheadPercent);
    m_record->setChecked(settings.record);
    m_recordMiB->setValue(settings.recordMiB);
    m_recordTotalMiB->setValue(settings.recordTotalMiB);
    applyFields();
}

void CaptureSection::applyFields()
{
    for (QWidget *field :
         {static_cast<QWidget *>(m_lane), static_cast<QWidget *>(m_pool), static_cast<QWidget *>(m_retention)})
        field->setEnabled(m_lanes->isChecked());
    for (QSpinBox *box : {m_recordMiB, m_recordTotalMiB})
        box->setEnabled(m_record->isChecked());
    m_summary->setText(settings().summary());
}

}  // namespace ct
