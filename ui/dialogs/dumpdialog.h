// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Asks once for the folder and the format of dumps. After that, a dump is one click.
#pragma once

#include "core/exporting/exportformat.h"

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
    QString format;  ///< the extension of an ExportFormat

    static DumpSettings load(const QSettings &settings);
    void save(QSettings &settings) const;

    /// True if the folder exists and is writable, and the format exists.
    bool isUsable() const;
    /// Returns nullptr if there is no such format.
    const ExportFormat *exportFormat() const;
    /// Returns an unused path: "folder/server-20261121-034500.sqlite". `name` is the name of the capture.
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
