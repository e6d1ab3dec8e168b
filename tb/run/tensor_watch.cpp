#include "run/tensor_watch.hpp"

#include <algorithm>

namespace gsu::run {

using Kind = TensorActivity::Kind;

void TensorWatch::onTensor(const TensorActivity& activity)
{
    count(activity);
    if (timeline_ != nullptr) draw(activity);
}

void TensorWatch::count(const TensorActivity& a) noexcept
{
    use_.busy += a.busy;
    switch (a.kind) {
        case Kind::Multiply: ++use_.multiplies; break;
        case Kind::Copy: ++use_.copies; break;
        case Kind::Shift: ++use_.shifts; break;
        case Kind::Load: ++use_.loads; break;
        case Kind::Store: ++use_.stores; break;
        case Kind::Commit: ++use_.commits; break;
        case Kind::Grant:
            ++use_.allocations;
            use_.mostColumns = std::max(use_.mostColumns, a.taken);
            if (a.waited) ++use_.waits, use_.waited += a.to - a.from;
            break;
        case Kind::Columns: break;
    }
}

void TensorWatch::draw(const TensorActivity& a)
{
    switch (a.kind) {
        case Kind::Multiply:
        case Kind::Copy:
        case Kind::Shift:
        case Kind::Load:
        case Kind::Store: {
            const bool core = a.kind != Kind::Load && a.kind != Kind::Store;
            return timeline_->onTensorOperation(a.at, core, a.from, a.to, a.name, a.line);
        }
        case Kind::Columns: return timeline_->onColumns(a.at, a.from, a.to, a.column, a.columns);
        case Kind::Commit:
        case Kind::Grant: break;  // the mbarrier's track has the arrival; Columns comes later
    }
}

}  // namespace gsu::run
