// The recorder of accesses: what it writes into a trace, with which cycles, and that an observer behind it gets the same.
#include "catch.hpp"
#include "files.hpp"
#include "golden/golden.hpp"
#include "races/access_recorder.hpp"
#include "trace/reader.hpp"

using namespace gsu;
using namespace gsu::races;

namespace {

/// Notes what it gets.
class Next final : public AccessObserver {
public:
    void onAccess(const Access& a) override { got.push_back("access " + std::to_string(a.line)); }
    void onAsync(const AsyncOp& op) override { got.push_back("begins " + std::to_string(op.line)); }
    void completes(std::uint64_t name) override
    {
        got.push_back("completes " + std::to_string(name));
    }
    void onGroup(const GroupStep& s) override { got.push_back("group " + std::to_string(s.line)); }
    std::vector<Finding> takeFindings() override
    {
        return {Finding{.rule = "next", .message = "", .race = nullptr}};
    }
    std::vector<std::string> got;
};

Access accessOf(std::uint32_t line, Cycle cycle, std::uint32_t bytes)
{
    Access a;
    a.lanes = 0x8;
    a.line = line;
    a.cycle = cycle;
    a.touch = Touch::Reads;
    a.range[3] = {64, bytes};
    return a;
}

/// Does something of everything at a port that is in cycle 9.
void act(AccessRecorder& recorder)
{
    recorder.onAccess(accessOf(1, 9, 4));
    recorder.onAccess(accessOf(2, 10, 0));  // no bytes that others see
    AsyncOp op;
    op.line = 3;
    op.lanes = 1;
    op.cycle = 12;
    op.reads.push_back({0, 16});
    recorder.onAsync(op);
    recorder.completes(
        77);  // the port is still in cycle 9: no record is earlier than the one before
    GroupStep step;
    step.line = 4;
    step.lanes = 1;
    recorder.onGroup(step);
    recorder.onPlace(Launch{.sm = 0, .cta = 5}, 6);
    recorder.onAccess(accessOf(5, 20, 4));
}

/// What is written with this observer behind the recorder, and what its findings are.
std::vector<std::string> written(AccessObserver* next, std::size_t findings)
{
    const testfiles::Folder folder;
    const std::string path = folder / "t.gsut";
    const auto port = makeGoldenPort(1, {}, nullptr);
    for (int i = 0; i < 9; ++i) port->step();
    trace::Header header;
    header.version = trace::kAccessVersion;
    header.config = configOf(Preset::Hopper);
    trace::Writer writer(path, header);
    AccessRecorder recorder(writer, *port, {.unscoped = {8}, .reductions = {}});
    if (next != nullptr) recorder.setNext(*next);
    act(recorder);
    CHECK(recorder.takeFindings().size() == findings);
    writer.close();
    trace::Reader reader(path);
    std::vector<std::string> all;
    trace::Record record;
    Cycle cycle = 0;
    while (reader.next(record)) {
        const auto& memory = std::get<trace::MemoryRecord>(record);
        cycle += memory.dt;
        all.push_back(std::to_string(cycle) + ' ' + memory.text);
    }
    return all;
}

}  // namespace

TEST_CASE("a recorder writes accesses with their cycles and passes them on", "[races]")
{
    const std::vector<std::string> wanted{
        "9 unscoped 8",         "9 access 0/0/0 0x00000008 L1 reads weak g@64:4",
        "12 part reads g@0:16", "12 begins 0/0/0 0x00000001 L3 cp_async until group",
        "12 completes #77",     "12 group 0/0/0 0x00000001 L4 cp_async closes",
        "12 place 0/5 6",       "20 access 0/0/0 0x00000008 L5 reads weak g@64:4"};
    CHECK(written(nullptr, 0) == wanted);
    Next next;
    CHECK(written(&next, 1) == wanted);
    CHECK(next.got == std::vector<std::string>{"access 1", "access 2", "begins 3", "completes 77",
                                               "group 4", "access 5"});
}
