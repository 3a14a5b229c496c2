// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The section of the Run dialog about the capture: a summary line that unfolds into fields.
#pragma once

#include "ui/dialogs/capturesettings.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QSpinBox;
class QToolButton;

namespace ct {

class CaptureSection : public QWidget {
    Q_OBJECT
public:
    explicit CaptureSection(QWidget *parent = nullptr);

    CaptureSettings settings() const;
    void setSettings(const CaptureSettings &settings);

Q_SIGNALS:
    /// The section was unfolded or folded, and needs another height.
    void folded(bool open);

private:
    void makeFields(QFormLayout *form);
    void makeRecordingFields(QFormLayout *form);
    QSpinBox *addNumber(QFormLayout *form, const char *name, const QString &label, const QString &toolTip);
    void applyFields();

    QToolButton *m_title;
    QLabel *m_summary;
    QWidget *m_body;
    QCheckBox *m_lanes = nullptr;
    QComboBox *m_lane = nullptr;
    QSpinBox *m_pool = nullptr;
    QSpinBox *m_retention = nullptr;
    QSpinBox *m_overhead = nullptr;
    QSpinBox *m_keepMiB = nullptr;
    QSpinBox *m_keepSec = nullptr;
    QCheckBox *m_record = nullptr;
    QSpinBox *m_recordMiB = nullptr;
    QSpinBox *m_recordTotalMiB = nullptr;
};

}  // namespace ct
