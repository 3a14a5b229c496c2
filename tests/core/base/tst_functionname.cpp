// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/functionname.h"
#include "tests/support/check.h"

#include <source_location>

using ct::readableFunction;

CT_CASE(coroutineRampsShowTheirSignature)
{
    CHECK_EQUAL(readableFunction("void n::S::serve(n::S::serve(int, const char*)::_ZN1n1S5serveEiPKc.Frame*)"),
                "n::S::serve(int, const char*)");
    CHECK_EQUAL(readableFunction("void n::S::gen(n::S::gen<int>(int)::_ZN1n1S3genIiEE1TT_.Frame*)"),
                "n::S::gen<int>(int)");
    CHECK_EQUAL(
        readableFunction("void n::W<char>::gen(n::W<char>::gen<int>(int, char)::_ZN1n1WIcE3genIiEE1TT_c.Frame*)"),
        "n::W<char>::gen<int>(int, char)");
    CHECK_EQUAL(readableFunction("void n::S::st(n::S::st(void (*)(int))::_ZN1n1S2stEPFviE.Frame*)"),
                "n::S::st(void (*)(int))");
    CHECK_EQUAL(readableFunction("void n::S::cst(n::S::cst() const &::_ZNKR1n1S3cstEv.Frame*)"), "n::S::cst() const &");
    CHECK_EQUAL(readableFunction("void freef(freef()::_Z5freefv.Frame*)"), "freef()");
}

CT_CASE(unnamedNamespacesKeepTheirScope)
{
    CHECK_EQUAL(
        readableFunction(
            "void n::{anonymous}::anon(anon(std::vector<int>)::_ZN1n12_GLOBAL__N_14anonESt6vectorIiSaIiEE.Frame*)"),
        "n::{anonymous}::anon(std::vector<int>)");
}

CT_CASE(lambdasAreNamedByTheirLocation)
{
    CHECK_EQUAL(readableFunction("void n::S::serve(int, const char*)::<lambda()>::operator()(n::S::serve(int, const "
                                 "char*)::<lambda()>::_ZZN1n1S5serveEiPKcENKUlvE_clEv.Frame*)"),
                "n::S::serve(int, const char*)::<lambda()>");
    CHECK_EQUAL(
        readableFunction("void main()::<lambda(int)>::operator()(main()::<lambda(int)>::_ZZ4mainENKUliE_clEi.Frame*)"),
        "main()::<lambda(int)>");
    CHECK_EQUAL(readableFunction("void main()::<lambda()>::<lambda()>::operator()(main()::<lambda()>::<lambda()>::_"
                                 "ZZZ4mainENKUlvE0_clEvENKUlvE_clEv.Frame*)"),
                "main()::<lambda()>::<lambda()>");
    // A lambda coroutine inside a coroutine: three frames in one name.
    CHECK_EQUAL(
        readableFunction("void n::S::serve(n::S::serve(int, const char*)::_ZN1n1S5serveEiPKc.Frame*)::<lambda(auto:11)>"
                         "::operator()(n::S::serve(n::S::serve(int, const char*)::_ZN1n1S5serveEiPKc.Frame*)::<lambda("
                         "auto:11)>::_ZZN1n1S5serveEiPKcENKUlT_E_clIiEE1TS3_.Frame*)"),
        "n::S::serve(int, const char*)::<lambda(auto:11)>");
}

CT_CASE(operatorsAreNoBrackets)
{
    CHECK_EQUAL(readableFunction("void n::{anonymous}::Q::operator()(n::{anonymous}::Q::operator()(int) "
                                 "const::_ZNK1n12_GLOBAL__N_11QclEi.Frame*)"),
                "n::{anonymous}::Q::operator()(int) const");
    CHECK_EQUAL(readableFunction("void n::{anonymous}::Q::operator<(n::{anonymous}::Q::operator<(int)::_ZN1n12_GLOBAL__"
                                 "N_11QltEi.Frame*)"),
                "n::{anonymous}::Q::operator<(int)");
    CHECK_EQUAL(readableFunction("n::S::operator int()"), "n::S::operator int()");
    CHECK_EQUAL(readableFunction("bool n::operator<(const n::Q&, int)"), "n::operator<(const n::Q&, int)");
}

CT_CASE(ordinaryNamesLoseTheReturnTypeOnly)
{
    CHECK_EQUAL(readableFunction("(anonymous namespace)::Task work::loop<long>(long)"), "work::loop<long>(long)");
    CHECK_EQUAL(readableFunction("(anonymous namespace)::hidden(int)"), "(anonymous namespace)::hidden(int)");
    CHECK_EQUAL(readableFunction("T n::S::serve(int, const char*)"), "n::S::serve(int, const char*)");
    CHECK_EQUAL(readableFunction("const X* n::W<X>::ptr() [with X = char]"), "n::W<X>::ptr() [with X = char]");
    CHECK_EQUAL(readableFunction("std::map<int, std::pair<int, int> > make(int)"), "make(int)");
    CHECK_EQUAL(readableFunction("int main()"), "main()");
    CHECK_EQUAL(readableFunction("T n::S::serve(int, const char*)::<lambda(auto:11)> [with auto:11 = int]"),
                "n::S::serve(int, const char*)::<lambda(auto:11)> [with auto:11 = int]");
    CHECK_EQUAL(readableFunction("serve"), "serve");
    CHECK_EQUAL(readableFunction(std::source_location::current().function_name()).find("void "), std::string::npos);
}

CT_CASE(hostileTextPassesUnchanged)
{
    for (const char *const text :
         {"", "(", ")", "<<<<(((", "void f(f(int::_Z1fi.Frame*)", ".Frame*)", "::_Z.Frame*)", "f)::_Z1f.Frame*)",
          "void f(::_Z", "]]] x(", "a b c d", "> (", "\xff\xfe(", "{}}{"}) {
        CHECK_EQUAL(readableFunction(text), text);
    }
    const std::string deep = std::string(5000, '(') + std::string(5000, ')');
    CHECK_EQUAL(readableFunction(deep).size(), deep.size());
}
