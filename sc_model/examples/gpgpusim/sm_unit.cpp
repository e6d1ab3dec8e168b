#include "sm_unit.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <vector>

SmUnit::Totals SmUnit::totals;

namespace {

void onFinding(void*, const gsu_finding* f)
{
    static std::vector<std::string> told;
    for (const std::string& rule : told) {
        if (rule == f->rule) {
            return;
        }
    }
    told.emplace_back(f->rule);
    std::fprintf(stderr, "gsu: %s: %s (first: SM cycle %llu, CTA slot %u, warp %u)\n", f->rule,
                 f->message, static_cast<unsigned long long>(f->cycle), unsigned(f->cta),
                 unsigned(f->warp));
}

/// Processor time of this thread in nanoseconds.
std::uint64_t processorTime()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::uint64_t(t.tv_sec) * 1000000000u + std::uint64_t(t.tv_nsec);
}

}  // namespace

SmUnit::SmUnit(unsigned number, std::function<void(const Release&)> released)
    : number_(number), released_(std::move(released))
{
    gsu_callbacks callbacks = GSU_INIT(gsu_callbacks);
    gsu_options options = GSU_INIT(gsu_options);
    callbacks.on_finding = onFinding;
    const char* settings = std::getenv("GSU_SETTINGS");
    std::istringstream words(settings ? settings : "");
    std::vector<std::string> texts;
    for (std::string word; words >> word;) texts.push_back(word);
    std::vector<const char*> list;
    for (const std::string& text : texts) list.push_back(text.c_str());
    list.push_back(nullptr);
    options.abi = GSU_ABI;
    options.unit = std::getenv("GSU_UNIT") ? std::getenv("GSU_UNIT") : "rtl";
    options.preset = std::getenv("GSU_PRESET");
    options.settings = list.data();
    options.sms = 1;
    options.callbacks = &callbacks;
    options.events = GSU_EVENTS_RESPONSE | GSU_EVENTS_RELEASE | GSU_EVENTS_CTA_FREE;
    if (gsu_unit_create(&options, &unit_) < 0) {
        std::fprintf(stderr, "gsu: %s\n", gsu_last_error());
        std::exit(2);
    }
}

SmUnit::~SmUnit() { gsu_unit_destroy(unit_); }

void SmUnit::must(gsu_status status, const char* what) const
{
    if (status >= 0) return;
    std::fprintf(stderr, "gsu: SM %u: %s: %s\n", number_, what, gsu_last_error());
    std::abort();
}

void SmUnit::launch(unsigned cta, Warps warps, std::uint64_t now)
{
    advance(now);
    for (unsigned warp = 0; warp < kWarps; ++warp) {
        if (warps[warp]) ctaOfWarp_[warp] = cta;
    }
    queue_.push_back({Input::Launch, cta, 0, 0, 0, 0, 0, warps});
    give();
}

void SmUnit::request(unsigned op, unsigned cta, unsigned warp, unsigned barrier, unsigned threads,
                     std::uint32_t pred, std::uint64_t now)
{
    advance(now);
    waiting_.set(warp);
    ++totals.requests;
    queue_.push_back({Input::Request, cta, warp, op, barrier, threads, pred, {}});
    give();
}

void SmUnit::exit(unsigned warp, std::uint64_t now)
{
    advance(now);
    queue_.push_back({Input::Exit, ctaOfWarp_[warp], warp, 0, 0, 0, 0, {}});
    give();
}

bool SmUnit::waits(unsigned warp, std::uint64_t now)
{
    if (waiting_.none()) return false;  // no warp waits: the unit's time may lag
    advance(now);
    return waiting_[warp];
}

/// Gives a launch. It needs a slot of the unit and warp slots that earlier CTAs have left, which are free some cycles after the last exit.
bool SmUnit::giveLaunch(const Input& input)
{
    if ((used_ & input.warps).any()) return false;
    unsigned home = 0;
    while (home < kCtas && homes_[home].any()) ++home;
    if (home == kCtas) return false;
    unsigned base = 0;
    while (!input.warps[base]) ++base;
    gsu_launch launch = GSU_INIT(gsu_launch);
    launch.cta = std::uint8_t(home);
    launch.warp_base = std::uint8_t(base);
    launch.threads = std::uint16_t(kLanes * input.warps.count());
    launch.smem_base = 8 * home;  // no mbarriers: the smallest window
    launch.smem_size = 8;
    const gsu_status status = gsu_unit_launch(unit_, &launch);
    must(status, "launch");
    if (status == 0) return false;
    homes_[home] = input.warps;
    ownerOf_[home] = input.cta;
    used_ |= input.warps;
    ctas_[input.cta] = {true, home, base, unsigned(input.warps.count())};
    return true;
}

bool SmUnit::give(const Input& input)
{
    const Cta& cta = ctas_[input.cta];
    if (input.kind == Input::Launch) return giveLaunch(input);
    if (input.kind == Input::Exit) {
        gsu_exit leave = GSU_INIT(gsu_exit);
        leave.cta = std::uint8_t(cta.home);
        leave.warp = std::uint8_t(input.warp - cta.base);
        leave.lanes = 0xffffffffu;
        must(gsu_unit_exit(unit_, &leave), "exit");
        return true;
    }
    if (gsu_unit_can_present(unit_, 0) != 1) return false;
    gsu_request r = GSU_INIT(gsu_request);
    r.op = std::uint8_t(input.op);
    r.cta = std::uint8_t(cta.home);
    r.warp = std::uint8_t(input.warp - cta.base);
    r.tag = std::uint16_t(input.warp);
    r.lanes = 0xffffffffu;
    r.arg0 = input.barrier;
    r.arg1 = input.threads;
    r.pred = input.pred;
    must(gsu_unit_present(unit_, &r), "present");
    return true;
}

/// Gives inputs in order: a launch that waits for its slots delays later inputs of this SM only.
void SmUnit::give()
{
    while (!queue_.empty() && give(queue_.front())) queue_.pop_front();
}

void SmUnit::take()
{
    gsu_event e = GSU_INIT(gsu_event);
    while (gsu_unit_next_event(unit_, &e) == 1) {
        if (e.kind == GSU_EVENT_RESPONSE) {
            waiting_.reset(e.of.response.tag);
        } else if (e.kind == GSU_EVENT_CTA_FREE) {
            used_ &= ~homes_[e.of.cta_free.cta];
            homes_[e.of.cta_free.cta].reset();
        } else if (e.kind == GSU_EVENT_RELEASE) {
            const gsu_release& r = e.of.release;
            unsigned base = 0;
            while (!homes_[r.cta][base]) ++base;
            const Warps warps = Warps(r.warps) << base;
            waiting_ &= ~warps;
            ++totals.releases;
            released_({ownerOf_[r.cta], r.id, r.popc, r.all != 0, r.any != 0, warps});
        }
    }
}

void SmUnit::advance(std::uint64_t now)
{
    if (!started_) {
        started_ = true;
        start_ = now;
    }
    const std::uint64_t target = now - start_;
    std::uint64_t cycle = 0;
    must(gsu_unit_now(unit_, &cycle), "now");
    if (cycle >= target) return;
    const std::uint64_t from = processorTime();
    totals.cycles += target - cycle;
    while (cycle < target) {
        std::uint64_t quiet = 0;
        give();
        must(gsu_unit_quiet_until(unit_, &quiet), "quiet_until");
        if (quiet > cycle && queue_.empty()) {
            must(gsu_unit_skip_to(unit_, quiet < target ? quiet : target), "skip_to");
        } else {
            must(gsu_unit_step(unit_), "step");
            ++totals.steps;
            take();
        }
        must(gsu_unit_now(unit_, &cycle), "now");
    }
    const char* text = nullptr;
    if (gsu_unit_fault(unit_, nullptr, &text) == 1) {
        std::fprintf(stderr, "gsu: SM %u: %s\n", number_, text);
        std::abort();
    }
    totals.nanoseconds += processorTime() - from;
}

std::string SmUnit::explain() const
{
    const char* text = "";
    must(gsu_unit_explain(unit_, &text), "explain");
    return text;
}
