// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: MIT
#include "core/base/functionname.h"

#include <cstddef>

namespace ct {

namespace {

constexpr std::string_view kNone{};
constexpr std::string_view kFrameEnd = ".Frame*)";
constexpr std::string_view kCallOperator = "::operator()";

bool isOpening(char c)
{
    return c == '(' || c == '<' || c == '[' || c == '{';
}

bool isClosing(char c)
{
    return c == ')' || c == '>' || c == ']' || c == '}';
}

bool isWordEnd(std::string_view text, std::size_t begin)
{
    if (begin == 0)
        return true;
    const char before = text[begin - 1];
    return !(before == '_' || (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') ||
             (before >= 'A' && before <= 'Z'));
}

/// Returns the length of an operator's name at `at` ("operator<", "operator()", "operator->"), or 0 if there is none.
/// Callers skip the name, because its symbols are not brackets.
std::size_t operatorLength(std::string_view text, std::size_t at)
{
    constexpr std::string_view kOperator = "operator";
    if (text.substr(at, kOperator.size()) != kOperator || !isWordEnd(text, at))
        return 0;
    const std::string_view rest = text.substr(at + kOperator.size());
    for (const std::string_view symbol :
         {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
        if (rest.substr(0, symbol.size()) == symbol)
            return kOperator.size() + symbol.size();
    }
    return 0;
}

/// Searches back from `end` for the bracket that is still open there, and returns its index or npos. With `stopAtWord`,
/// a blank or comma outside of closed brackets also ends the search.
std::size_t findBack(std::string_view text, std::size_t end, bool stopAtWord)
{
    int depth = 0;
    for (std::size_t i = end; i-- > 0;) {
        const char c = text[i];
        const std::string_view before = text.substr(0, i);
        if ((c == '<' || c == '>') && before.ends_with("operator"))
            continue;
        if (c == '>' && before.ends_with('-'))
            continue;
        if (isClosing(c))
            ++depth;
        else if (isOpening(c) && --depth < 0)
            return i;
        else if (stopAtWord && depth == 0 && (c == ' ' || c == ',') && !before.ends_with("operator"))
            return i;
    }
    return std::string_view::npos;
}

/// Compilers omit the scope of a name in an unnamed namespace: `inner` is "anon(int)", `outer` is "n::anon". Returns
/// the scope that `inner` lacks ("n::"), or nothing.
std::string_view missingScope(std::string_view outer, std::string_view inner)
{
    const std::string_view head = inner.substr(0, inner.find_first_of("(<"));
    if (head.empty() || head.find("::") != std::string_view::npos || !outer.ends_with(head))
        return kNone;
    const std::string_view scope = outer.substr(0, outer.size() - head.size());
    return scope.ends_with("::") ? scope : kNone;
}

/// Replaces the first "f(f(int)::_Z1fi.Frame*)" in `text` by "f(int)". Returns false if there is none, or only a part.
bool reduceFrame(std::string &text)
{
    const std::string_view view = text;
    const std::size_t frameAt = view.find(kFrameEnd);
    if (frameAt == std::string_view::npos)
        return false;
    const std::size_t innerEnd = view.rfind("::_Z", frameAt);
    if (innerEnd == std::string_view::npos ||
        view.substr(innerEnd + 2, frameAt - innerEnd - 2).find_first_of("():<> ") != std::string_view::npos)
        return false;
    const std::size_t open = findBack(view, innerEnd, false);
    if (open == std::string_view::npos || view[open] != '(')
        return false;
    const std::size_t stop = findBack(view, open, true);
    const std::size_t begin = stop == std::string_view::npos ? 0 : stop + 1;
    const std::string_view inner = view.substr(open + 1, innerEnd - open - 1);
    const std::string readable = std::string(missingScope(view.substr(begin, open - begin), inner)) += inner;
    text.replace(begin, frameAt + kFrameEnd.size() - begin, readable);
    return true;
}

/// Returns the index behind the return type: after the last blank outside brackets in front of the parameter list.
/// Returns npos if there is no parameter list, or if brackets do not balance.
std::size_t nameBegin(std::string_view text)
{
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t length = depth == 0 ? operatorLength(text, i) : 0) {
            i += length - 1;
            continue;
        }
        const char c = text[i];
        if (c == '(' && depth == 0 && text.substr(i, 2) != "(*" && text.substr(i, 2) != "(&" &&
            !text.substr(i).starts_with("(anonymous namespace)::"))
            return begin;  // the parameter list
        if (isOpening(c))
            ++depth;
        else if (isClosing(c) && --depth < 0)
            return std::string_view::npos;
        else if (c == ' ' && depth == 0 && !text.substr(0, i).ends_with("operator"))
            begin = i + 1;
    }
    return std::string_view::npos;
}

bool isBalanced(std::string_view text)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t length = operatorLength(text, i)) {
            i += length - 1;
            continue;
        }
        if (isOpening(text[i]))
            ++depth;
        else if (isClosing(text[i]) && !(text[i] == '>' && i > 0 && text[i - 1] == '-') && --depth < 0)
            return false;
    }
    return depth == 0;
}

}  // namespace

std::string readableFunction(std::string_view compilerName)
{
    std::string reduced(compilerName);
    // Ends because each iteration shortens the text. A coroutine in a coroutine's lambda has three frame names.
    while (reduceFrame(reduced)) {
    }
    const std::size_t begin = isBalanced(reduced) ? nameBegin(reduced) : std::string::npos;
    if (begin == std::string::npos || begin >= reduced.size())
        return std::string(compilerName);
    std::string_view name = std::string_view(reduced).substr(begin);
    // Name a lambda without its call operator.
    const std::size_t call = name.rfind(kCallOperator);
    const std::size_t lambda = name.rfind("<lambda");
    if (call != std::string_view::npos && call > 0 && name[call - 1] == '>' && lambda < call &&
        name.find("::", lambda) == call)
        name = name.substr(0, call);
    return std::string(name);
}

}  // namespace ct
