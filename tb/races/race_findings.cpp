#include "races/race_findings.hpp"

#include <fmt/format.h>

namespace gsu::races {
namespace {

const char* does(const Record& r) { return r.updates ? "updates" : r.writes ? "writes" : "reads"; }

/// Rank of a scope, narrowest first.
int rankOf(const std::string& scope)
{
    return scope == "warp" ? 0 : scope == "cta" ? 1 : scope == "cluster" ? 2 : 3;
}

std::string joined(const Missing& m)
{
    std::string text;
    for (const char* link : m.links) text += (text.empty() ? "" : " and ") + std::string(link);
    return text + " (scope " + m.scope + ")";
}

}  // namespace

RaceFacts::Agent RaceFindings::agentOf(const Record& r, const ByteSet& bytes) const
{
    return {state_.ctas[r.cta]->linear, r.warp, r.lanesAt(bytes)};
}

/// The finding to which the race is added; nullptr: the race is known, and the scope that it lacks is no wider.
Finding* RaceFindings::found(const char* rule, std::uint32_t a, std::uint32_t b,
                             const Missing& missing)
{
    const auto [at, fresh] = index_.try_emplace(Key{rule, a, b}, all_.size());
    if (!fresh) {
        Finding& known = all_[at->second];
        ++known.count;
        return rankOf(missing.scope) > rankOf(known.race->scope) ? &known : nullptr;
    }
    all_.emplace_back();
    Finding& f = all_.back();
    f.rule = rule;
    f.line = b;
    return &f;
}

void RaceFindings::race(const char* rule, const Record& old, const Record& r, const Where& where,
                        const Missing& missing, Cycle cycle)
{
    Finding* f = found(rule, old.line, r.line, missing);
    if (f == nullptr) return;
    const ByteSet both = old.bytes & r.bytes;
    RaceFacts facts;
    facts.lines = {old.line, r.line};
    facts.space = where.space;
    facts.address = where.at + both.first();
    facts.size = both.last() + 1 - both.first();
    facts.missing.assign(missing.links.begin(), missing.links.end());
    facts.scope = missing.scope;
    facts.agents = {agentOf(old, both), agentOf(r, both)};
    f->cta = where.owner != nullptr ? where.owner->linear : facts.agents[1].cta;
    f->warp = facts.agents[1].warp;
    f->lanes = facts.agents[1].lanes;
    f->cycle = cycle;
    f->message = fmt::format("{} what line {} {} (CTA {} warp {}) without order between them: "
                             "missing {}",
                             does(r), old.line, does(old), facts.agents[0].cta,
                             facts.agents[0].warp, joined(missing));
    f->race = std::make_shared<const RaceFacts>(std::move(facts));
}

void RaceFindings::lifetime(const std::optional<Stamp>& init, const Record& use, const Where& where,
                            const Missing& missing, Cycle cycle, const std::string& what)
{
    Finding* f = found("race-lifetime", init ? init->line : 0, use.line, missing);
    if (f == nullptr) return;
    RaceFacts facts;
    if (init) {
        facts.lines.push_back(init->line);
        facts.agents.push_back({state_.ctas[init->cta]->linear, init->warp, init->lanes});
    }
    facts.lines.push_back(use.line);
    facts.agents.push_back(agentOf(use, use.bytes));
    facts.space = where.space;
    facts.address = where.at + use.bytes.first();
    facts.size = use.bytes.last() + 1 - use.bytes.first();
    facts.missing.assign(missing.links.begin(), missing.links.end());
    facts.scope = missing.scope;
    f->cta = where.owner != nullptr ? where.owner->linear : 0;
    f->warp = use.warp;
    f->lanes = facts.agents.back().lanes;
    f->cycle = cycle;
    f->message = fmt::format("{}{}: missing {}", what,
                             init ? fmt::format(" (line {})", init->line) : "", joined(missing));
    f->race = std::make_shared<const RaceFacts>(std::move(facts));
}

void RaceFindings::rule(Finding finding)
{
    const auto [at, fresh] = index_.try_emplace(Key{finding.rule, 0, finding.line}, all_.size());
    if (fresh)
        all_.push_back(std::move(finding));
    else
        ++all_[at->second].count;
}

std::vector<Finding> RaceFindings::take()
{
    index_.clear();
    std::vector<Finding> all;
    all.swap(all_);
    return all;
}

}  // namespace gsu::races
