// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The C++ form of the layout is that of layout.table, which the other languages are compared with.
#include "corotracer/layout.h"
#include "tests/support/check.h"

#include <cstddef>

using namespace corotracer;

CT_CASE(constantsAreThoseOfTheTable)
{
#define CONSTANT(name, camelName, value) CHECK_EQUAL(std::uint64_t{k##camelName}, std::uint64_t{value});
#define STRUCT(name, size, alignment)
#define FIELD(name, field, offset, size)
#include "layout.table"
#undef CONSTANT
#undef STRUCT
#undef FIELD
}

CT_CASE(structsAreThoseOfTheTable)
{
#define CONSTANT(name, camelName, value)
#define STRUCT(name, size, alignment)                                                                                  \
    CHECK_EQUAL(sizeof(name), std::size_t{size});                                                                      \
    CHECK_EQUAL(alignof(name), std::size_t{alignment});
#define FIELD(name, field, offset, size)                                                                               \
    CHECK_EQUAL(offsetof(name, field), std::size_t{offset});                                                           \
    CHECK_EQUAL(sizeof(name::field), std::size_t{size});
#include "layout.table"
#undef CONSTANT
#undef STRUCT
#undef FIELD
}
