// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

// Resources of a static library are linked only on request. Q_INIT_RESOURCE must be used outside of any namespace.
static void initResources()
{
    Q_INIT_RESOURCE(corotracer);
}

namespace ct::icons {

namespace {

QByteArray readResource(const QString &name)
{
    static const bool initialised = (initResources(), true);
    Q_UNUSED(initialised)
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Draws an SVG image. Replaces its black by a fixed colour, or by the palette's colour at the time of painting.
class RecolouringEngine final : public QIconEngine {
public:
    RecolouringEngine(QByteArray svg, QColor fixed) : m_svg(std::move(svg)), m_fixed(fixed) {}

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QSvgRenderer renderer(QByteArray(m_svg).replace("#000000", color(mode).name().toLatin1()));
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine *clone() const override { return new RecolouringEngine(m_svg, m_fixed); }

private:
    QColor color(QIcon::Mode mode) const
    {
        const QPalette palette = QGuiApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        if (m_fixed.isValid())
            return m_fixed;
        return palette.color(mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::ButtonText);
    }

    QByteArray m_svg;
    QColor m_fixed;
};

}  // namespace

QIcon icon(const QString &name)
{
    return icon(name, QColor());
}

QIcon icon(const QString &name, const QColor &color)
{
    return QIcon(new RecolouringEngine(readResource(name), color));
}

QIcon application()
{
    return QIcon(new RecolouringEngine(readResource(QStringLiteral("corotracer-gui")), QColor()));
}

QPixmap dot(const QColor &color, int size, qreal devicePixelRatio)
{
    QPixmap pixmap(QSize(size, size) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const qreal margin = size * 0.15;
    painter.drawEllipse(QRectF(0, 0, size, size).adjusted(margin, margin, -margin, -margin));
    return pixmap;
}

}  // namespace ct::icons
