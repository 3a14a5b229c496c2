// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/theme.h"

#include "ui/format/colors.h"

#include <QApplication>
#include <QProxyStyle>
#include <QSettings>
#include <QStyleFactory>
#include <QTreeView>

namespace ct {

namespace {

constexpr char kThemeProperty[] = "ctTheme";

struct Shades {
    QColor window;
    QColor button;
    QColor disabledText;
    QColor highlight;
    QColor highlightedText;
    QColor tooltip;
    QColor light;
    QColor mid;
    QColor dark;
};

QPalette makePalette(const Colors &colors, const Shades &shades)
{
    QPalette palette;
    palette.setColor(QPalette::Window, shades.window);
    palette.setColor(QPalette::WindowText, colors.text);
    palette.setColor(QPalette::Base, colors.background);
    palette.setColor(QPalette::AlternateBase, colors.stripe);
    palette.setColor(QPalette::Text, colors.text);
    palette.setColor(QPalette::PlaceholderText, colors.textMuted);
    palette.setColor(QPalette::Button, shades.button);
    palette.setColor(QPalette::ButtonText, colors.text);
    palette.setColor(QPalette::BrightText, colors.stuck);
    palette.setColor(QPalette::ToolTipBase, shades.tooltip);
    palette.setColor(QPalette::ToolTipText, colors.text);
    palette.setColor(QPalette::Highlight, shades.highlight);
    palette.setColor(QPalette::HighlightedText, shades.highlightedText);
    palette.setColor(QPalette::Link, colors.accent);
    palette.setColor(QPalette::LinkVisited, colors.accent);
    palette.setColor(QPalette::Light, shades.light);
    palette.setColor(QPalette::Midlight, shades.light);
    palette.setColor(QPalette::Mid, shades.mid);
    palette.setColor(QPalette::Dark, shades.dark);
    palette.setColor(QPalette::Shadow, shades.dark);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, shades.disabledText);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, shades.mid);
    return palette;
}

/// The Fusion style with higher rows in trees, which are as easy to read and click as rows of tables.
class RoomyStyle : public QProxyStyle {
public:
    RoomyStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override
    {
        constexpr int kMore = 4;
        const QSize made = QProxyStyle::sizeFromContents(type, option, size, widget);
        const bool row = type == CT_ItemViewItem && qobject_cast<const QTreeView *>(widget);
        return row ? made + QSize(0, kMore) : made;
    }
};

}  // namespace

QPalette lightPalette()
{
    return makePalette(lightColors(), {.window = QColor(0xEE, 0xF1, 0xF4),
                                       .button = QColor(0xF7, 0xF9, 0xFB),
                                       .disabledText = QColor(0x9A, 0xA3, 0xAE),
                                       .highlight = QColor(0x1F, 0x6F, 0xB8),
                                       .highlightedText = QColor(0xFF, 0xFF, 0xFF),
                                       .tooltip = QColor(0xFF, 0xFF, 0xF2),
                                       .light = QColor(0xFF, 0xFF, 0xFF),
                                       .mid = QColor(0xC4, 0xCB, 0xD3),
                                       .dark = QColor(0x9D, 0xA6, 0xB1)});
}

QPalette darkPalette()
{
    return makePalette(darkColors(), {.window = QColor(0x26, 0x2B, 0x32),
                                      .button = QColor(0x30, 0x36, 0x3F),
                                      .disabledText = QColor(0x6E, 0x78, 0x84),
                                      .highlight = QColor(0x2B, 0x62, 0x96),
                                      .highlightedText = QColor(0xFF, 0xFF, 0xFF),
                                      .tooltip = QColor(0x30, 0x36, 0x3F),
                                      .light = QColor(0x3B, 0x42, 0x4C),
                                      .mid = QColor(0x3A, 0x41, 0x4B),
                                      .dark = QColor(0x14, 0x17, 0x1B)});
}

void applyTheme(Theme theme)
{
    static const bool systemIsDark = isDark(QApplication::palette());
    static const bool styled = (QApplication::setStyle(new RoomyStyle), true);
    Q_UNUSED(styled)
    const bool dark = theme == Theme::Dark || (theme == Theme::System && systemIsDark);
    QApplication::setPalette(dark ? darkPalette() : lightPalette());
    qApp->setProperty(kThemeProperty, static_cast<int>(theme));
}

std::optional<Theme> appliedTheme()
{
    const QVariant theme = qApp->property(kThemeProperty);
    return theme.isValid() ? std::optional(static_cast<Theme>(theme.toInt())) : std::nullopt;
}

Theme savedTheme(const QSettings &settings)
{
    const QString name = settings.value(QStringLiteral("theme")).toString();
    if (name == QLatin1String("light"))
        return Theme::Light;
    return name == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

void saveTheme(QSettings &settings, Theme theme)
{
    settings.setValue(QStringLiteral("theme"), theme == Theme::Light  ? QStringLiteral("light")
                                               : theme == Theme::Dark ? QStringLiteral("dark")
                                                                      : QStringLiteral("system"));
}

}  // namespace ct
