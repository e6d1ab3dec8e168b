// The grid table: which grids a grid waits for, and what counts towards its signal and its end.
#include "golden/grid_table.hpp"

#include "catch.hpp"

using namespace gsu;

TEST_CASE("a grid waits for those of its prerequisites that are in flight when it starts",
          "[GDC-005]")
{
    GridTable t;
    CHECK(t.ready(0));
    t.open({.grid = 1, .ctas = 1});
    t.open({.grid = 2});  // it runs elsewhere
    t.open({.grid = 5, .ctas = 1, .prereqs = 0b1110});
    CHECK(t.at(5).waits == 0b0110);  // nothing is in flight in slot 3
    t.open({.grid = 3, .ctas = 1});
    CHECK(t.at(5).waits == 0b0110);
    CHECK(t.count(1, true, true));
    CHECK(t.at(1).over);
    CHECK(t.at(5).waits == 0b0100);
    CHECK_FALSE(t.ready(5));
    t.open({.grid = 6, .ctas = 1, .prereqs = 0b0110});
    CHECK(t.at(6).waits == 0b0100);  // grid 1 is over, though its slot is not free
    t.endElsewhere(2);
    CHECK(t.ready(5));
    CHECK(t.ready(6));
}

TEST_CASE("a grid counts each CTA's signal and end once", "[GDC-002][GDC-003]")
{
    GridTable t;
    CHECK_FALSE(t.count(3, true, false));  // none has started there
    t.open({.grid = 3, .ctas = 2});
    CHECK(t.count(3, true, false));
    CHECK(t.at(3).quiet == 1);
    CHECK(t.at(3).left == 2);
    CHECK(t.count(3, true, true));
    CHECK(t.at(3).word() == 1);
    CHECK_FALSE(t.count(3, true, false));  // both have signalled
    CHECK(t.count(3, false, true));        // the end of the one that had
    CHECK(t.at(3).over);
    CHECK_FALSE(t.count(3, false, false));
    CHECK_FALSE(t.count(3, false, true));
    t.free(3);
    CHECK_FALSE(t.at(3).used);
}

TEST_CASE("more ends than CTAs are no count", "[GDC-003]")
{
    GridTable t;
    t.open({.grid = 3});  // elsewhere: no CTA of it is launched here
    CHECK_FALSE(t.count(3, false, true));
    CHECK_FALSE(t.count(3, true, false));
    CHECK_FALSE(t.lessen(3, 0));
}

TEST_CASE("CTAs that will never be launched count as signalled and ended", "[D-58][CLC-003]")
{
    GridTable t;
    t.open({.grid = 3, .ctas = 4});
    CHECK_FALSE(t.lessen(3, 5));
    CHECK(t.at(3).quiet == 4);
    CHECK(t.lessen(3, 3));
    CHECK(t.at(3).quiet == 1);
    CHECK(t.at(3).left == 1);
    CHECK_FALSE(t.at(3).over);
    CHECK(t.count(3, true, false));
    CHECK_FALSE(t.lessen(3, 1));  // the last one has signalled: it runs
    t.open({.grid = 4, .ctas = 2});
    CHECK(t.lessen(4, 2));  // every one
    CHECK(t.at(4).over);
    CHECK_FALSE(t.lessen(4, 0));
}
