/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The form of corotracer.h as the C compiler sees it, compared with layout.table. */
#include "tests/probe/clayout.h"

#include "corotracer.h"

#include <stddef.h>

void check_c_layout(layout_report *report)
{
#define STRUCT(name, size, alignment)
#define FIELD(name, field, offset, size)
#define CONSTANT(name, camel_name, value)                                                                              \
    const uint64_t table_##name = (value);                                                                             \
    (void)table_##name;
#define C_CONSTANT(name, region_name) report(#name, (uint64_t)name, table_##region_name);
#define C_STRUCT(name, size, alignment)                                                                                \
    report("size of " #name, sizeof(name), size);                                                                      \
    report("alignment of " #name, _Alignof(name), alignment);
#define C_FIELD(name, field, offset, size)                                                                             \
    report("offset of " #name "." #field, offsetof(name, field), offset);                                              \
    report("size of " #name "." #field, sizeof(((name *)0)->field), size);
#include "tests/probe/layout.table"
}
