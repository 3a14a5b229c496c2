// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Helpers for the tests of the window: a sandbox for settings and files, and functions that find and click widgets.
#pragma once

#include "tests/support/paths.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFile>
#include <QPointer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

namespace gui {

/// Redirects settings and the cache to a temporary directory. Tests neither see nor change the user's files.
class Sandbox {
public:
    Sandbox()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("corotracer-gui-tests"));
        QCoreApplication::setApplicationName(QStringLiteral("corotracer-gui"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_directory.path());
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_directory.filePath(QStringLiteral("cache"))));
    }
    QString path(const QString &name) const { return m_directory.filePath(name); }

private:
    QTemporaryDir m_directory;
};

/// Returns the visible top-level widget with this name, whatever its parent is; null if there is none.
template <class Widget>
Widget *topLevel(const char *name)
{
    for (QWidget *widget : QApplication::topLevelWidgets())
        if (widget->isVisible() && widget->objectName() == QLatin1String(name))
            if (auto *found = qobject_cast<Widget *>(widget))
                return found;
    return nullptr;
}

/// Left-clicks the child button with this name. Returns false if no such button is visible and enabled.
inline bool click(QWidget *parent, const char *name)
{
    auto *button = parent ? parent->findChild<QAbstractButton *>(QLatin1String(name)) : nullptr;
    if (!button || !button->isEnabled() || !button->isVisible())
        return false;
    QTest::mouseClick(button, Qt::LeftButton);
    return true;
}

inline QString targetPath(const char *name)
{
    return QString::fromStdString(ct::test::kBinDir) + u'/' + QLatin1String(name);
}

/// Saves a picture of the widget if CT_PICTURES names a directory.
inline void takePicture(QWidget *widget, const char *name)
{
    const QString directory = qEnvironmentVariable("CT_PICTURES");
    if (directory.isEmpty())
        return;
    QCoreApplication::processEvents();  // an event applies a new palette
    widget->grab().save(directory + u'/' + QLatin1String(name) + QStringLiteral(".png"));
}

}  // namespace gui
