// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The debug search path: its setting, and the dialog for it.
#pragma once

#include "core/symbols/debugfile.h"

#include <QDialog>
#include <QStringList>

class QListWidget;
class QPushButton;
class QSettings;

namespace ct {

struct SymbolSettings {
    QStringList folders;

    static SymbolSettings load(const QSettings &settings);
    void save(QSettings &settings) const;
    /// Returns the search path: these folders and the system's own directories. Nothing is downloaded from a server.
    DebugSearchPath searchPath() const;
};

class SymbolDialog : public QDialog {
    Q_OBJECT
public:
    explicit SymbolDialog(const SymbolSettings &settings, QWidget *parent = nullptr);

    void addFolder(const QString &path);

Q_SIGNALS:
    void chosen(const ct::SymbolSettings &settings);

private:
    void browse();
    void remove();
    void check();

    QListWidget *m_folders;
    QPushButton *m_remove;
};

}  // namespace ct
