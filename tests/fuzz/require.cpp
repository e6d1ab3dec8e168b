#include <cstdio>
#include <cstdlib>

#include "entries.hpp"

void gsu::fuzz::require(bool property, const char* what)
{
    if (property) return;
    std::fprintf(stderr, "property broken: %s\n", what);
    std::abort();
}
