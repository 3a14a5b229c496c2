// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the window's tests share: settings of their own, and clicking on things by name.
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

/// Settings, recordings and regions in a directory of the test's own, so that tests neither see nor change the user's.
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

/// The visible top-level widget of this name (dialogs are found wherever they hang).
template <class Widget>
Widget *topLevel(const char *name)
{
    for (QWidget *widget : QApplication::topLevelWidgets())
        if (widget->isVisible() && widget->objectName() == QLatin1String(name))
            if (auto *found = qobject_cast<Widget *>(widget))
                return found;
    return nullptr;
}

/// Left-clicks the child button of this name; false if there is none that can be clicked.
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
    QCoreApplication::processEvents();  // a new palette comes with an event
    widget->grab().save(directory + u'/' + QLatin1String(name) + QStringLiteral(".png"));
}

}  // namespace gui
