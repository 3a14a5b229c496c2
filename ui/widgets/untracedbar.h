// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The warning that nothing is traced: the likely cause, and on request the whole checklist.
#pragma once

#include "ui/widgets/infobar.h"

#include <QString>

namespace ct {

class UntracedBar final : public InfoBar {
    Q_OBJECT
public:
    explicit UntracedBar(QWidget *parent = nullptr);

    /// `why`: the likely cause, one sentence.
    void showCause(const QString &why);

private:
    void showChecklist();

    QString m_why;
};

}  // namespace ct
