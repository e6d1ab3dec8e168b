#include "derived.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gsu::derived {
namespace {

const char* const kNames[kKinds] = {"Init",       "Inval",        "Expect",   "Complete",
                                    "Arrive",     "ArriveExpect", "Drop",     "DropExpect",
                                    "TestState",  "TestParity",   "TryState", "TryParity",
                                    "CpaDefault", "CpaNoinc",     "RedAsync"};

bool isWait(Kind kind) { return kind >= Kind::TestState && kind <= Kind::TryParity; }

/// Updates of a live object: all operations except init, inval and waits.
bool isUpdate(Kind kind) { return kind != Kind::Init && kind != Kind::Inval && !isWait(kind); }

bool isArrival(Kind kind) { return kind >= Kind::Arrive && kind <= Kind::DropExpect; }

bool isDrop(Kind kind) { return kind == Kind::Drop || kind == Kind::DropExpect; }

bool isLocalOnly(const Attempt& a)
{
    return a.kind == Kind::Init || a.kind == Kind::Inval || isWait(a.kind) ||
           a.kind == Kind::CpaDefault || a.kind == Kind::CpaNoinc || a.noComplete;
}

/// The count of the arrive-on that is part of it (MBARR-005, D-39).
std::int64_t arrivals(const Attempt& a)
{
    if (a.kind == Kind::Arrive || a.kind == Kind::Drop) return a.operand;
    return isArrival(a.kind) || a.kind == Kind::CpaNoinc ? 1 : 0;
}

/// The bytes that an operation adds to the tx-count.
std::int64_t bytes(const Attempt& a)
{
    if (a.kind == Kind::Expect || a.kind == Kind::ArriveExpect || a.kind == Kind::DropExpect)
        return a.operand;
    return a.kind == Kind::Complete || a.kind == Kind::RedAsync ? -a.operand : 0;
}

std::vector<std::vector<std::string>> readTable(const std::string& path, std::size_t columns)
{
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    std::vector<std::vector<std::string>> rows;
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> cells;
        std::istringstream words(line);
        for (std::string cell; std::getline(words, cell, '\t');) cells.push_back(cell);
        if (cells.size() != columns)
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " +
                                     std::to_string(columns) + " columns are needed");
        rows.push_back(cells);
    }
    return rows;
}

std::set<std::string> listed(const std::string& cell)
{
    std::set<std::string> out;
    std::istringstream words(cell);
    for (std::string word; std::getline(words, word, ',');) out.insert(word);
    return out;
}

/// Kinds of a cell: names, "all", or "updates".
std::set<std::string> kindsOf(const std::string& cell)
{
    std::set<std::string> out;
    for (unsigned k = 0; k < kKinds; ++k)
        if (cell == "all" || cell == "any" || (cell == "updates" && isUpdate(static_cast<Kind>(k))))
            out.insert(kNames[k]);
    return out.empty() ? listed(cell) : out;
}

/// Errors of the address and the other operands alone (D-66, D-72; section 8 says which operations may be remote).
void operandConditions(const Attempt& a, std::set<std::string>& holds)
{
    const bool foreign = a.target != Target::Own;
    if (a.misaligned) holds.insert("misaligned");
    if (a.beyond && a.target != Target::Nobody) holds.insert("beyond");
    if (isLocalOnly(a) && foreign) holds.insert("foreign");
    if (a.target == Target::Nobody) holds.insert("rank");
    if (!isLocalOnly(a) && a.target == Target::Exited) holds.insert("gone");
    if (a.kind == Kind::RedAsync && !foreign) holds.insert("self");
    if (isArrival(a.kind) && a.wantsState && foreign) holds.insert("state");
    if ((a.kind == Kind::Init || a.kind == Kind::Arrive || a.kind == Kind::Drop) &&
        (a.operand < 1 || a.operand > kMax))
        holds.insert("count");
    if ((a.kind == Kind::TestParity || a.kind == Kind::TryParity) && a.operand > 1)
        holds.insert("parity");
}

/// Errors that depend on the object's values (D-25..D-28, D-36, D-39, A-12).
void wordConditions(const Attempt& a, const Object& o, std::set<std::string>& holds)
{
    if (!isUpdate(a.kind)) return;
    const std::int64_t tx = o.tx + bytes(a);
    if (o.locked) holds.insert("locked");
    if (o.retired()) holds.insert("retired");
    if (arrivals(a) > o.pending) holds.insert("pending");
    if (tx > kMax || tx < -kMax) holds.insert("tx");
    if (isDrop(a.kind) && arrivals(a) > o.expected) holds.insert("expected");
    if (a.kind == Kind::CpaDefault && o.pending >= kMax) holds.insert("overflow");
}

bool accessible(const std::set<std::string>& holds)
{
    for (const char* name : {"misaligned", "beyond", "foreign", "rank", "self", "state", "gone"})
        if (holds.count(name)) return false;
    return true;
}

/// D-36: a range violation locks; what it says of the others is nothing, or that they do not.
Lock lockAfter(const Attempt& a, const std::set<std::string>& holds)
{
    if (!a.lockOnError || !accessible(holds) || holds.count("parity")) return Lock::As;
    if (a.kind == Kind::Init || holds.count("overflow"))
        return Lock::
            Open;  // there may be no object; and D-36 does not list an increment among the violations
    if (holds.count("retired"))
        return Lock::Open;  // A-12 refuses it for another reason than its range
    for (const char* name : {"count", "pending", "tx", "expected"})
        if (holds.count(name)) return Lock::Set;
    return Lock::As;
}

void apply(const Attempt& a, Verdict& v)
{
    Object& o = v.after;
    if (a.kind == Kind::Init) {
        o = {0, a.operand, a.operand, 0, false};
        return;
    }
    if (!isUpdate(a.kind)) return;
    o.tx += bytes(a);
    if (isDrop(a.kind)) o.expected -= arrivals(a);
    o.pending -= arrivals(a);
    if (a.kind == Kind::CpaDefault) o.pending += 1;
    if (isDrop(a.kind) && o.expected == 0) v.notes.insert("MBDROP-011");
    v.flips = a.kind != Kind::CpaDefault && o.pending == 0 && o.tx == 0;
    if (!v.flips) return;
    o.phase += 1;
    o.pending = o.expected;
    if (a.noComplete) v.notes.insert(isDrop(a.kind) ? "MBDROP-017" : "MBARR-017");
}

bool waitResult(const Attempt& a, const Object& o)
{
    if (a.kind == Kind::TestParity || a.kind == Kind::TryParity)
        return o.phase % 2 != static_cast<std::uint64_t>(a.operand);
    return isWait(a.kind) && !a.stateOfThisPhase;
}

}  // namespace

const char* nameOf(Kind kind) noexcept { return kNames[static_cast<unsigned>(kind)]; }

Order::Order(const std::string& folder)
{
    for (const auto& cells : readTable(folder + "/conditions.tsv", 4))
        for (const auto& kind : kindsOf(cells[1])) rules_[cells[0]][kind] = listed(cells[2]);
    for (const auto& cells : readTable(folder + "/order.tsv", 5)) {
        if (cells[3] != "first" && cells[3] != "open")
            throw std::runtime_error(folder + "/order.tsv: verdict '" + cells[3] +
                                     "' is neither first nor open");
        rows_.push_back({cells[0], cells[1], kindsOf(cells[2]), cells[3] == "open", false});
        open_ += rows_.back().open;
    }
}

const std::set<std::string>& Order::rules(const std::string& condition, Kind kind) const
{
    static const std::set<std::string> none;
    const auto found = rules_.find(condition);
    if (found == rules_.end() || !found->second.count(nameOf(kind))) return none;
    return found->second.at(nameOf(kind));
}

const Order::Row& Order::row(const std::string& a, const std::string& b, Kind kind) const
{
    for (const auto& row : rows_)
        if (row.kinds.count(nameOf(kind)) &&
            ((row.a == a && row.b == b) || (row.a == b && row.b == a)))
            return row;
    throw std::runtime_error("order.tsv has no row for " + a + " and " + b + " of " + nameOf(kind));
}

std::set<std::string> Order::first(const std::set<std::string>& holds, Kind kind) const
{
    std::set<std::string> out = holds;
    for (const auto& a : holds)
        for (const auto& b : holds) {
            if (!(a < b)) continue;
            const Row& r = row(a, b, kind);
            r.asked = true;
            if (!r.open) out.erase(r.b);
        }
    return out;
}

std::string Order::asked() const
{
    unsigned count = 0;
    std::string missing;
    for (const auto& r : rows_) {
        count += r.asked;
        if (!r.asked) missing += " " + r.a + "/" + r.b;
    }
    return std::to_string(count) + " of " + std::to_string(rows_.size()) + " pairs" +
           (missing.empty() ? "" : ", not" + missing);
}

Verdict derive(const Order& order, const Attempt& attempt, const Object& object)
{
    Verdict v;
    v.after = object;
    operandConditions(attempt, v.holds);
    wordConditions(
        attempt, object,
        v.holds);  // also where there is no access: the rows that give the address precedence must win
    if (v.holds.empty()) {
        apply(attempt, v);
        v.waitTrue = waitResult(attempt, object);
        return v;
    }
    v.first = order.first(v.holds, attempt.kind);
    v.lock = lockAfter(attempt, v.holds);
    return v;
}

}  // namespace gsu::derived
