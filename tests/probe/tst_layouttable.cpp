// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The forms of the layout in C++ and in C are those of layout.table. The test of the Rust crate is in its
// layout/tests.rs.
#include "corotracer.h"
#include "corotracer/layout.h"
#include "tests/probe/clayout.h"
#include "tests/support/check.h"

#include <cstddef>
#include <cstring>

using namespace corotracer;

namespace {

int reports = 0;

void compare(const char *what, std::uint64_t actual, std::uint64_t expected)
{
    ++reports;
    if (actual != expected)
        check::equal(actual, expected, what, __FILE__, __LINE__);
}

}  // namespace

CT_CASE(constantsAreThoseOfTheTable)
{
#define STRUCT(name, size, alignment)
#define FIELD(name, field, offset, size)
#define C_STRUCT(name, size, alignment)
#define C_FIELD(name, field, offset, size)
#define CONSTANT(name, camelName, value)                                                                               \
    [[maybe_unused]] const std::uint64_t table_##name{value};                                                          \
    CHECK_EQUAL(std::uint64_t{k##camelName}, table_##name);
#define C_CONSTANT(name, regionName) CHECK_EQUAL(static_cast<std::uint64_t>(name), table_##regionName);
#include "layout.table"
#undef CONSTANT
#undef C_CONSTANT
#undef STRUCT
#undef FIELD
#undef C_STRUCT
#undef C_FIELD
}

CT_CASE(structsAreThoseOfTheTable)
{
#define CONSTANT(name, camelName, value)
#define C_CONSTANT(name, regionName)
#define STRUCT(name, size, alignment)                                                                                  \
    CHECK_EQUAL(sizeof(name), std::size_t{size});                                                                      \
    CHECK_EQUAL(alignof(name), std::size_t{alignment});
#define FIELD(name, field, offset, size)                                                                               \
    CHECK_EQUAL(offsetof(name, field), std::size_t{offset});                                                           \
    CHECK_EQUAL(sizeof(name::field), std::size_t{size});
#define C_STRUCT STRUCT
#define C_FIELD FIELD
#include "layout.table"
#undef CONSTANT
#undef C_CONSTANT
#undef STRUCT
#undef FIELD
#undef C_STRUCT
#undef C_FIELD
}

CT_CASE(cHasTheLayoutOfTheTable)
{
    check_c_layout(&compare);
    CHECK(reports > 0);
}
