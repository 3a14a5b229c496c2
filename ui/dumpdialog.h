// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where dumps go, and in which format. Asked once; then a dump is one click.
#pragma once

#include "core/exporting/exporting.h"

#include <QDateTime>
#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;

namespace ct {

struct DumpSettings {
    QString folder;  ///< empty: not chosen yet
    QString format;  ///< an ExportFormat's extension

    static DumpSettings load(const QSettings &settings);
    void save(QSettings &settings) const;

    /// There is a folder, it exists, and can be written.
    bool isUsable() const;
    /// nullptr: no such format.
    const ExportFormat *exportFormat() const;
    /// "folder/server-20261121-034500.sqlite"; a name that is free. `name` is what is captured.
    QString path(const QString &name, const QDateTime &time) const;
};

class DumpDialog : public QDialog {
    Q_OBJECT
public:
    explicit DumpDialog(const DumpSettings &settings, QWidget *parent = nullptr);

Q_SIGNALS:
    void dumpRequested(const ct::DumpSettings &settings);

private:
    DumpSettings settings() const;
    void browse();
    void check();

    QLineEdit *m_folder;
    QComboBox *m_format;
    QLabel *m_message;
    QPushButton *m_dump;
};

}  // namespace ct
