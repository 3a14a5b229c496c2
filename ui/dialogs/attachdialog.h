// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lists the regions on this machine, to attach to one or to delete unused ones. Never blocks.
#pragma once

#include "core/target/regionlist.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QTreeWidget;

namespace ct {

class AttachDialog : public QDialog {
    Q_OBJECT
public:
    explicit AttachDialog(QWidget *parent = nullptr);

public Q_SLOTS:
    void refresh();

Q_SIGNALS:
    void attachRequested(const QString &regionPath);

private:
    void setUpTable();
    void showRegion(const RegionInfo &region);
    void applySelection();
    void attachSelected();
    void deleteSelected();
    void browse();
    QString selectedPath() const;

    QTreeWidget *m_table;
    QLabel *m_message;
    QPushButton *m_attach;
    QPushButton *m_delete;
};

}  // namespace ct
