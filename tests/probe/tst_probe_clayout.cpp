// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The structs of corotracer.h have the layout of clayout.table, in C and in C++.
#include "tests/probe/clayout.h"
#include "tests/support/check.h"
#include "tests/support/paths.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

/// Returns the lines of the table, without comments.
std::vector<std::string> table()
{
    std::ifstream file(ct::test::kSourceDir + std::string("/tests/probe/clayout.table"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line[0] != '#')
            lines.push_back(line);
    }
    return lines;
}

std::string lineOf(const layout_field &field)
{
    std::ostringstream line;
    line << field.record << ' ' << field.field << ' ' << field.offset << ' ' << field.size;
    return line.str();
}

void compareWithTable(const layout_field *fields)
{
    const std::vector<std::string> expected = table();
    REQUIRE(expected.size() == kLayoutFields);
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK_EQUAL(lineOf(fields[i]), expected[i]);
}

CT_CASE(cHasTheLayoutOfTheTable)
{
    compareWithTable(c_layout_fields);
}

CT_CASE(cppHasTheLayoutOfTheTable)
{
    compareWithTable(layout_fields);
}

}  // namespace
