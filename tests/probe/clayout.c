/* SPDX-FileCopyrightText: 2026 The corotracer-gui authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/probe/clayout.h"

const layout_field *const c_layout_fields = layout_fields;
