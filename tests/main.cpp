// The only translation unit that compiles Catch2's main, and the only one that knows the project's folder.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
#include "files.hpp"

std::string testfiles::testsFolder() { return GSU_TEST_DATA; }
