// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/symbols/demangle.h"
#include "tests/support/check.h"

using ct::lastPart;
using ct::readableSymbol;

CT_CASE(readsNamesOfFunctions)
{
    CHECK_EQUAL(readableSymbol("_ZN1n4workEiRi"), "n::work(int, int&)");
    CHECK_EQUAL(readableSymbol("_Z3fooIiEvT_"), "foo<int>(int)");
    CHECK_EQUAL(readableSymbol("main"), "main");
    CHECK_EQUAL(readableSymbol(""), "");
    CHECK_EQUAL(readableSymbol("_Znot a name"), "_Znot a name");
    const std::string endless = "_Z" + std::string(20'000, 'P') + "i";
    CHECK_EQUAL(readableSymbol(endless), endless);
}

CT_CASE(partsOfACoroutineHaveItsName)
{
    CHECK_EQUAL(readableSymbol("_ZN1n4workEPZNS_4workEiRiE20_ZN1n4workEiRi.Frame.actor"), "n::work(int, int&)");
    CHECK_EQUAL(readableSymbol("_ZN1n4workEPZNS_4workEiRiE20_ZN1n4workEiRi.Frame"), "n::work(int, int&)");
    CHECK_EQUAL(readableSymbol("_ZN1n4workEiRi.resume"), "n::work(int, int&)");
    CHECK_EQUAL(readableSymbol("_ZN1n4workEiRi.actor.cold"), "n::work(int, int&)");
}

CT_CASE(readsNamesOfRust)
{
    CHECK_EQUAL(readableSymbol("_ZN4rust6shapes5outer17h0123456789abcdefE"), "rust::shapes::outer");
    CHECK_EQUAL(
        readableSymbol("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE"),
        "<alloc::string::String as core::fmt::Debug>::fmt");
}

CT_CASE(findsTheLastPartOfAName)
{
    CHECK_EQUAL(lastPart("n::A<std::pair<int, long> >::await_resume() const"), "await_resume");
    CHECK_EQUAL(lastPart("await_resume"), "await_resume");
    CHECK_EQUAL(lastPart("void n::f<int>(int)"), "f");
    CHECK_EQUAL(lastPart(""), "");
}
