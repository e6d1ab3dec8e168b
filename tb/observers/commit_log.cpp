#include "observers/commit_log.hpp"

#include <fmt/format.h>

#include <iterator>

#include "golden/findings.hpp"

namespace gsu {
namespace {

constexpr std::size_t kFlush = 1u << 16;

/// Rules that the commit reports, in the order of its error bits.
std::string rulesOf(const Commit& commit)
{
    std::string text;
    if (commit.errs == 0) return text;
    for (const FindingRule& found : findingsOf(commit)) {
        if (!text.empty()) text += ',';
        text += found.rule;
    }
    return text;
}

}  // namespace

CommitLog::CommitLog(const std::string& path) : file_(path)
{
    text_ = "cycle\tunit\top\tat\tlanes\ttag\tobject\told\tnew\tflip\trefused\tcause\tsource\tfrom"
            "\trules\n";
}

void CommitLog::onCommit(const Commit& c)
{
    fmt::format_to(
        std::back_inserter(text_),
        "{}\t{}\t{}\t{}/{}/{}\t{:#010x}\t{}\t{:#x}\t{:#x}\t{:#x}\t{}\t{}\t{}\t{}\t{}/{}\t{}\n",
        c.cycle, nameOf(c.unit), nameOf(c.op), c.at.sm, c.at.cta, c.at.warp, c.lanes, c.tag,
        c.object, c.oldWord, c.newWord, unsigned{c.flip}, unsigned{c.refused}, nameOf(c.cause),
        nameOf(c.src), c.srcSm, c.srcCta, rulesOf(c));
    if (text_.size() < kFlush) return;
    file_.write(text_);
    text_.clear();
}

void CommitLog::close()
{
    file_.write(text_);
    file_.commit();
}

}  // namespace gsu
