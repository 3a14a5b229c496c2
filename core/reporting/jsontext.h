// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes indented JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ct {

/// The caller closes what it opens, in order.
class JsonText {
public:
    void beginObject(std::string_view name = {}) { begin(name, '{'); }
    void endObject() { end('}'); }
    void beginArray(std::string_view name = {}) { begin(name, '['); }
    void endArray() { end(']'); }
    void member(std::string_view name, std::string_view text);
    void member(std::string_view name, std::uint64_t number);
    void member(std::string_view name, double number);
    void flag(std::string_view name, bool flag);  ///< no member(), which would take a text for a bool
    void value(std::string_view text) { member({}, text); }
    void value(std::uint64_t number) { member({}, number); }
    /// The whole text, with a line feed at its end.
    std::string take();

private:
    void begin(std::string_view name, char bracket);
    void end(char bracket);
    /// Begins an element: separators, indentation, and the name of a member.
    void next(std::string_view name);

    std::string m_text;
    std::size_t m_depth = 0;
    bool m_isFirst = true;
};

}  // namespace ct
