// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reporting/dotgraph.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

namespace ct {

namespace {

constexpr double kPixelsPerInch = 72;

/// dot reads \N and other escapes, and entities as in HTML, in quoted labels.
std::string labelText(const std::vector<std::string> &lines)
{
    std::string label;
    for (const std::string &line : lines) {
        label += label.empty() ? "" : "\\n";
        for (const char c : line) {
            if (c == '&')
                label += "&amp;";
            else if (c == '"' || c == '\\')
                label += std::string("\\") + c;
            else
                label += c;
        }
    }
    return label;
}

const char *shapeOf(const WaitNode &node)
{
    switch (node.kind) {
    case WaitNodeKind::Coroutine: return "box";
    case WaitNodeKind::Lock: return "hexagon";
    case WaitNodeKind::Channel: return "cds";
    case WaitNodeKind::Descriptor: return "note";
    case WaitNodeKind::Timer: return "ellipse";
    case WaitNodeKind::Object: return "diamond";
    case WaitNodeKind::Thread: return "component";
    }
    return "box";
}

std::string nodeText(const WaitNode &node, const std::vector<std::string> &lines)
{
    std::string text = "label=\"" + labelText(lines) + "\", shape=" + shapeOf(node);
    std::string style = node.kind == WaitNodeKind::Coroutine ? "rounded" : "";
    if (node.inCycle) {
        text += ", color=red, penwidth=2";
    } else if (node.deadEnd != DeadEnd::None) {
        text += ", color=\"#d55e00\", penwidth=2";
        style += style.empty() ? "dashed" : ",dashed";
    }
    return text + (style.empty() ? "" : ", style=\"" + style + "\"");
}

std::string edgeText(const WaitEdge &edge)
{
    std::string text = edge.isHeld ? "label=\"held by\", arrowhead=vee" : "";
    const auto add = [&text](const std::string &attribute) { text += (text.empty() ? "" : ", ") + attribute; };
    if (edge.isAny)
        add("style=dashed");
    if (edge.inCycle)
        add("color=red, penwidth=2");
    if (edge.count > 1)
        add((edge.isHeld ? "headlabel=\"" : "label=\"") + std::to_string(edge.count) + "\"");
    return text.empty() ? "" : " [" + text + "]";
}

std::string inches(double pixels)
{
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), pixels / kPixelsPerInch, std::chars_format::fixed, 3);
    return {text.data(), end};
}

/// dot does not wrap a layer, so one lock with 500 waiters becomes a line that is 500 boxes wide.
bool isTooWide(const GraphSize &size)
{
    constexpr double kWide = 2400;
    constexpr double kMostAspect = 4;
    return size.width > kWide && size.width > kMostAspect * size.height;
}

/// Reads words that are separated by spaces.
class Words {
public:
    explicit Words(std::string_view line) : m_rest(line) {}
    std::string_view next()
    {
        m_rest.remove_prefix(std::min(m_rest.find_first_not_of(' '), m_rest.size()));
        const std::string_view word = m_rest.substr(0, m_rest.find(' '));
        m_rest.remove_prefix(word.size());
        return word;
    }
    std::optional<double> number()
    {
        const std::string_view word = next();
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
            return std::nullopt;
        return value;
    }
    /// The index of a node "n17" that is below `count`.
    std::optional<std::uint32_t> node(std::size_t count)
    {
        const std::string_view word = next();
        std::uint32_t index = 0;
        if (!word.starts_with('n'))
            return std::nullopt;
        const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), index);
        if (error != std::errc() || end != word.data() + word.size() || index >= count)
            return std::nullopt;
        return index;
    }

private:
    std::string_view m_rest;
};

class PlainReader {
public:
    PlainReader(const std::vector<GraphSize> &nodes, const std::vector<GraphLink> &links) : m_nodes(nodes)
    {
        m_layout.boxes.resize(nodes.size());
        m_layout.curves.resize(links.size());
        for (std::size_t i = 0; i < links.size(); ++i)
            m_open.emplace(std::pair(links[i].from, links[i].to), i);
    }
    /// Returns false if the line is wrong.
    bool readLine(std::string_view line);
    bool isComplete() const { return m_isEnded && m_open.empty() && m_found == m_nodes.size(); }
    GraphLayout take() { return std::move(m_layout); }

private:
    bool readGraph(Words &words);
    bool readNode(Words &words);
    bool readEdge(Words &words);
    std::optional<GraphPoint> point(Words &words) const
    {
        const std::optional<double> x = words.number();
        const std::optional<double> y = words.number();
        if (!x || !y)
            return std::nullopt;
        return GraphPoint{*x * kPixelsPerInch, m_layout.size.height - *y * kPixelsPerInch};
    }

    const std::vector<GraphSize> &m_nodes;
    std::multimap<std::pair<std::uint32_t, std::uint32_t>, std::size_t> m_open;  ///< links without a curve
    GraphLayout m_layout;
    std::size_t m_found = 0;  ///< nodes
    bool m_isEnded = false;
};

bool PlainReader::readLine(std::string_view line)
{
    Words words(line);
    const std::string_view what = words.next();
    if (what == "graph")
        return readGraph(words);
    if (what == "node")
        return readNode(words);
    if (what == "edge")
        return readEdge(words);
    m_isEnded = m_isEnded || what == "stop";
    return what == "stop" || what.empty();
}

bool PlainReader::readGraph(Words &words)
{
    const std::optional<double> scale = words.number();
    const std::optional<double> width = words.number();
    const std::optional<double> height = words.number();
    if (!scale || !width || !height)
        return false;
    m_layout.size = {*width * kPixelsPerInch, *height * kPixelsPerInch};
    return true;
}

bool PlainReader::readNode(Words &words)
{
    const std::optional<std::uint32_t> index = words.node(m_nodes.size());
    const std::optional<GraphPoint> centre = index ? point(words) : std::nullopt;
    if (!centre)
        return false;
    m_layout.boxes[*index] = {*centre, m_nodes[*index]};
    ++m_found;
    return true;
}

bool PlainReader::readEdge(Words &words)
{
    const std::optional<std::uint32_t> from = words.node(m_nodes.size());
    const std::optional<std::uint32_t> to = from ? words.node(m_nodes.size()) : std::nullopt;
    const std::optional<double> count = to ? words.number() : std::nullopt;
    const auto link = count ? m_open.find({*from, *to}) : m_open.end();
    if (link == m_open.end() || *count < 4)
        return false;
    GraphCurve &curve = m_layout.curves[link->second];
    m_open.erase(link);
    for (double i = 0; i < *count; ++i) {
        const std::optional<GraphPoint> next = point(words);
        if (!next)
            return false;
        curve.push_back(*next);
    }
    return curve.size() % 3 == 1;
}

}  // namespace

std::string dotText(const WaitGraph &graph, const GraphLabels &labels)
{
    std::string text = "digraph waits {\n  node [fontname=\"sans-serif\", fontsize=11];\n"
                       "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        text += "  n" + std::to_string(i) + " [" + nodeText(graph.nodes[i], labels[i]) + "];\n";
    for (const WaitEdge &edge : graph.edges)
        text += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to) + edgeText(edge) + ";\n";
    return text + "}\n";
}

std::string dotInput(const std::vector<GraphSize> &nodes, const std::vector<GraphLink> &links)
{
    std::string text = "digraph {\n  graph [pack=true, nodesep=0.25, ranksep=0.4];\n"
                       "  node [shape=box, fixedsize=true, label=\"\"];\n  edge [arrowhead=none];\n";
    for (std::size_t i = 0; i < nodes.size(); ++i)
        text += "  n" + std::to_string(i) + " [width=" + inches(nodes[i].width) +
                ", height=" + inches(nodes[i].height) + "];\n";
    for (const GraphLink &link : links)
        text += "  n" + std::to_string(link.from) + " -> n" + std::to_string(link.to) + ";\n";
    return text + "}\n";
}

std::optional<GraphLayout> layoutFromDot(std::string_view output, const std::vector<GraphSize> &nodes,
                                         const std::vector<GraphLink> &links)
{
    // dot continues a long line after a backslash.
    std::string joined;
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (output.substr(i).starts_with("\\\n"))
            ++i;
        else if (output[i] != '\r')
            joined += output[i];
    }
    PlainReader reader(nodes, links);
    for (std::size_t begin = 0; begin < joined.size();) {
        const std::size_t end = std::min(joined.find('\n', begin), joined.size());
        if (!reader.readLine(std::string_view(joined).substr(begin, end - begin)))
            return std::nullopt;
        begin = end + 1;
    }
    if (!reader.isComplete())
        return std::nullopt;
    GraphLayout layout = reader.take();
    return isTooWide(layout.size) ? std::nullopt : std::optional(std::move(layout));
}

}  // namespace ct
