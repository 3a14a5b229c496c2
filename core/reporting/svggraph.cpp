// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/svggraph.h"

#include "core/reporting/xmltext.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ct {

namespace {

constexpr double kMargin = 16;
constexpr double kHeader = 80;  ///< title and legend
constexpr double kLeastWidth = 720;

std::string number(double value)
{
    std::array<char, 40> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1);
    return {text.data(), end};
}

std::string attribute(const char *name, double value)
{
    return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string pointText(const GraphPoint &point)
{
    return number(point.x) + "," + number(point.y);
}

const char *fillOf(const WaitNode &node)
{
    if (node.kind != WaitNodeKind::Coroutine)
        return "#ffffff";
    switch (node.state) {
    case CoroutineState::Created: return "#f8e6b0";
    case CoroutineState::Runnable: return "#e2ddf5";
    case CoroutineState::Running: return "#bfe8da";
    case CoroutineState::Suspended: return "#dcebf7";
    default: return "#e8eaed";
    }
}

std::string strokeOf(const WaitNode &node)
{
    if (node.inCycle)
        return " stroke=\"#d0202e\" stroke-width=\"2.5\"";
    if (node.deadEnd != DeadEnd::None)
        return " stroke=\"#d55e00\" stroke-width=\"2.5\" stroke-dasharray=\"5 3\"";
    return " stroke=\"#5c6672\"";
}

/// Coroutines have round corners, objects are rectangles, threads have half-round ends.
double radiusOf(const WaitNode &node, const GraphSize &size)
{
    return node.kind == WaitNodeKind::Coroutine ? 8 : node.kind == WaitNodeKind::Thread ? size.height / 2 : 0;
}

std::string nodeText(const WaitNode &node, const std::vector<std::string> &lines, const GraphBox &box)
{
    const double left = box.centre.x - box.size.width / 2;
    const double top = box.centre.y - box.size.height / 2;
    std::string text = "<g><rect" + attribute("x", left) + attribute("y", top) + attribute("width", box.size.width) +
                       attribute("height", box.size.height) + attribute("rx", radiusOf(node, box.size)) + " fill=\"" +
                       fillOf(node) + "\"" + strokeOf(node) + "/>";
    const double first = box.centre.y - static_cast<double>(lines.size()) * kGraphLineHeight / 2 + kGraphFont;
    for (std::size_t i = 0; i < lines.size(); ++i)
        text += "<text" + attribute("x", box.centre.x) +
                attribute("y", first + static_cast<double>(i) * kGraphLineHeight) + ">" + xmlText(lines[i]) + "</text>";
    return text + "</g>\n";
}

std::string edgeText(const WaitEdge &edge, const GraphCurve &curve)
{
    if (curve.empty())
        return {};
    std::string path = "M" + pointText(curve.front());
    for (std::size_t i = 1; i + 2 < curve.size(); i += 3)
        path += " C" + pointText(curve[i]) + " " + pointText(curve[i + 1]) + " " + pointText(curve[i + 2]);
    std::string text = "<path d=\"" + path + "\" fill=\"none\"";
    text += edge.inCycle ? " stroke=\"#d0202e\" stroke-width=\"2\" marker-end=\"url(#c)\""
                         : " stroke=\"#5c6672\" marker-end=\"url(#a)\"";
    if (edge.isAny)
        text += " stroke-dasharray=\"4 3\"";
    text += "/>\n";
    if (edge.count > 1) {
        const GraphPoint &middle = curve[curve.size() / 2];
        text += "<text" + attribute("x", middle.x + 12) + attribute("y", middle.y) + ">" + std::to_string(edge.count) +
                "</text>\n";
    }
    return text;
}

std::string marker(const char *id, const char *color)
{
    return std::string("<marker id=\"") + id +
           "\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" "
           "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"" +
           color + "\"/></marker>\n";
}

std::string headerLine(int line, const std::string &attributes, const std::string &text)
{
    return "<text x=\"16\" y=\"" + std::to_string(4 + 18 * line) + "\" text-anchor=\"start\"" + attributes + ">" +
           xmlText(text) + "</text>\n";
}

/// Title, summary and legend, in lines that fit into the smallest picture.
std::string header(const WaitGraph &graph, const std::string &title)
{
    const std::string muted = " fill=\"#5c6672\"";
    return headerLine(1, " font-weight=\"bold\"", title) + headerLine(2, {}, graphSummary(graph)) +
           headerLine(
               3, muted,
               "Round boxes: coroutines. An arrow from a coroutine leads to what it waits for (dashed: to one of "
               "several).") +
           headerLine(4, muted, "An arrow from a lock leads to its holder. Red: a cycle. Dashed frame: a dead end.");
}

}  // namespace

std::string svgText(const WaitGraph &graph, const GraphLabels &labels, const GraphLayout &layout,
                    const std::string &title)
{
    const double width = std::max(layout.size.width + 2 * kMargin, kLeastWidth);
    const double height = layout.size.height + kHeader + 2 * kMargin;
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                       attribute("width", width) + attribute("height", height) + " viewBox=\"0 0 " + number(width) +
                       " " + number(height) + "\" font-family=\"sans-serif\" font-size=\"" +
                       std::to_string(kGraphFont) + "\" text-anchor=\"middle\" fill=\"#1d232b\">\n<defs>\n" +
                       marker("a", "#5c6672") + marker("c", "#d0202e") +
                       "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + header(graph, title) +
                       "<g transform=\"translate(" + number(kMargin) + " " + number(kHeader + kMargin) + ")\">\n";
    for (std::size_t i = 0; i < graph.edges.size(); ++i)
        text += edgeText(graph.edges[i], layout.curves[i]);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        text += nodeText(graph.nodes[i], labels[i], layout.boxes[i]);
    return text + "</g>\n</svg>\n";
}

}  // namespace ct
