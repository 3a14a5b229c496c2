// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/text/jsonlfields.h"

namespace ct {

JsonlFields::Field &JsonlFields::next()
{
    if (m_count == m_fields.size())
        m_fields.emplace_back();
    return m_fields[m_count++];
}

/// Returns false if the value is malformed.
bool JsonlFields::read(JsonScanner &scanner, Value &value)
{
    const char first = scanner.peek();
    std::string_view text;
    if (first == '"') {
        value.type = Value::Type::Text;
        const bool good = scanner.string(text);
        value.text = good ? text : std::string_view();
        return good;
    }
    if (first == 't' || first == 'f') {
        value.type = Value::Type::Flag;
        return scanner.boolean(value.flag);
    }
    value.type = Value::Type::Other;
    if (first == '-' || (first >= '0' && first <= '9')) {
        switch (scanner.number(value.number)) {
        case JsonScanner::Number::Good: value.type = Value::Type::Number; return true;
        case JsonScanner::Number::OutOfRange: value.type = Value::Type::OutOfRange; break;
        case JsonScanner::Number::Malformed: break;
        }
    }
    return scanner.skipValue();
}

std::string JsonlFields::parse(std::string_view text)
{
    m_count = 0;
    JsonScanner scanner(text);
    if (!scanner.accept('{'))
        return "expected a JSON object";
    if (!scanner.accept('}')) {
        do {
            Field &field = next();
            std::string_view name;
            if (!scanner.string(name))
                return "expected a field name";
            field.name = name;
            if (!scanner.accept(':'))
                return "expected ':'";
            if (!read(scanner, field.value))
                return "a value is malformed";
        } while (scanner.accept(','));
        if (!scanner.accept('}'))
            return "expected ',' or '}'";
    }
    return scanner.atEnd() ? std::string() : "something follows the object";
}

const JsonlFields::Value *JsonlFields::find(std::string_view name) const
{
    for (std::size_t i = m_count; i-- > 0;) {
        if (m_fields[i].name == name)
            return &m_fields[i].value;
    }
    return nullptr;
}

}  // namespace ct
