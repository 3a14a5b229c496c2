// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The fields of any line of a JSONL recording, found by name.
#pragma once

#include "core/recording/format/jsonscanner.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ct {

class JsonlFields {
public:
    struct Value {
        enum class Type : std::uint8_t {
            Number,      ///< a whole number of 64 bits
            OutOfRange,  ///< a larger or a negative whole number
            Text,
            Flag,
            Other,
        };
        Type type = Type::Other;
        bool flag = false;
        std::uint64_t number = 0;
        std::string text;  ///< any bytes
    };

    /// Parses a flat JSON object. Values of other types are skipped, not kept. Returns an empty text, or the problem in
    /// words for the user. `text` is untrusted.
    std::string parse(std::string_view text);
    /// Returns the field with this name, the last one if there are several, or nullptr. Valid until the next parse().
    const Value *find(std::string_view name) const;

private:
    struct Field {
        std::string name;
        Value value;
    };
    Field &next();
    static bool read(JsonScanner &scanner, Value &value);

    std::vector<Field> m_fields;  ///< reused, so their texts keep their memory
    std::size_t m_count = 0;
};

}  // namespace ct
