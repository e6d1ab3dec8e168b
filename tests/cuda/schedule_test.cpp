// Pending work and launches, without a device: what runs at the same time, and what waits.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "cuda/streams/schedule.hpp"

using namespace gsu::cuda;

namespace {

/// Runs for some clocks; waits for a flag of others first, when there is one.
class Fake final : public Flight {
public:
    struct Plan {
        std::uint64_t clocks{10};
        const bool* flag{};             ///< stands still until it is set
        bool* sets{};                   ///< set at the end
        std::uint64_t signalAt{~0ull};  ///< clock from which dependents may begin
    };
    Fake(std::string name, Plan plan, std::string& log)
        : name_(std::move(name)), plan_(plan), log_(log)
    {
        log_ += name_ + "+ ";
    }
    State advance(std::uint64_t until, std::uint64_t work) override
    {
        if (plan_.flag != nullptr && !*plan_.flag) return State::Still;
        now_ = std::min({until, now_ + work, plan_.clocks});
        if (now_ < plan_.clocks || grids_) return grids_ ? State::Still : State::Going;
        if (plan_.sets != nullptr) *plan_.sets = true;
        ++changes_;
        log_ += name_ + "- ";
        return State::Ended;
    }
    std::uint64_t now() const noexcept override { return now_; }
    std::uint64_t changes() const noexcept override { return changes_; }
    void wake() noexcept override {}
    bool quiet() const noexcept override { return false; }
    bool signalled() const noexcept override { return now_ >= plan_.signalAt; }
    void setGridsBefore(bool underWay) override { grids_ = underWay; }
    void giveUp() override { log_ += name_ + "! "; }

private:
    std::string name_;
    Plan plan_;
    std::string& log_;
    std::uint64_t now_{}, changes_{};
    bool grids_{};
};

struct Device {
    explicit Device(std::uint64_t seed, unsigned sms = 4) : schedule(seed, nullptr, sms) {}
    TaskRef launch(const std::string& name, Fake::Plan plan, std::vector<TaskRef> before = {},
                   TaskRef primary = nullptr, unsigned sms = 1, bool alone = false)
    {
        Work work{Work::Kind::Kernel, {}};
        work.begin = [this, name, plan] { return std::make_unique<Fake>(name, plan, log); };
        work.sms = sms;
        work.alone = alone;
        return schedule.add(std::move(work), std::move(before), std::move(primary));
    }
    std::string log;
    Schedule schedule;
};

constexpr std::uint64_t kSeeds = 32;

}  // namespace

TEST_CASE("without a seed a launch ends at its call; one that stands still waits for the next")
{
    bool flag = false;
    Device d(Schedule::kCalls);
    d.launch("a", {});
    d.launch("b", {.flag = &flag});
    CHECK(d.log == "a+ a- b+ ");
    CHECK(d.schedule.underWay());
    const TaskRef c = d.launch("c", {.sets = &flag});
    CHECK(c->state == Task::State::Done);
    d.schedule.finishAll();
    CHECK(d.log == "a+ a- b+ c+ c- b- ");
    CHECK_FALSE(d.schedule.underWay());
}

TEST_CASE("what nothing can get on is given up when somebody waits, and what is behind it runs")
{
    bool flag = false;
    Device d(Schedule::kCalls);
    const TaskRef a = d.launch("a", {.flag = &flag});
    d.launch("b", {.sets = &flag}, {a});
    CHECK(d.log == "a+ ");
    d.schedule.finishAll();
    CHECK(d.log == "a+ a! b+ b- ");
}

TEST_CASE("launches that are under way have SMs for all; two that go alone are never together")
{
    bool flag = false;
    Device d(Schedule::kCalls, 3);
    d.launch("a", {.flag = &flag}, {}, nullptr, 2, true);
    d.launch("b", {}, {}, nullptr, 2);
    d.launch("c", {}, {}, nullptr, 1, true);
    d.launch("d", {}, {}, nullptr, 1);
    CHECK(d.log == "a+ d+ d- ");
    flag = true;
    d.schedule.finishAll();
    CHECK(d.log == "a+ d+ d- a- b+ b- c+ c- ");
}

TEST_CASE("a dependent begins behind the signal, ends behind its primary, and holds back what "
          "follows")
{
    unsigned early = 0;
    for (std::uint64_t seed = 2; seed < kSeeds; ++seed) {
        Device d(seed);
        const TaskRef a = d.launch("a", {.clocks = 1'000'000, .signalAt = 5});
        const TaskRef b = d.launch("b", {}, {a}, a);
        const TaskRef c = d.launch("c", {}, {b});
        CHECK(d.schedule.finish(c) == Status::Success);
        INFO("seed " << seed << ": " << d.log);
        CHECK((d.log == "a+ a- b+ b- c+ c- " || d.log == "a+ b+ a- b- c+ c- "));
        early += d.log == "a+ b+ a- b- c+ c- " ? 1 : 0;
    }
    CHECK(early > 0);
    CHECK(early < kSeeds - 2);
}

TEST_CASE("clocks of launches beside each other pass once, and while one stands still")
{
    bool flag = false;
    Device d(Schedule::kCalls);
    d.launch("a", {.clocks = 100, .flag = &flag});
    d.launch("b", {.clocks = 30, .sets = &flag});
    d.schedule.finishAll();
    CHECK(d.schedule.clock() == 130);
    Device beside(2);
    beside.launch("a", {.clocks = 50'000});
    beside.launch("b", {.clocks = 50'000});
    beside.schedule.finishAll();
    CHECK(beside.schedule.clock() <= 100'000);
}
