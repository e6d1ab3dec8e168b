/// Catch2 behind one name, so that version 2 (Debian 12) and 3 both serve.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
