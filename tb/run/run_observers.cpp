#include "run/run_observers.hpp"

#include <nlohmann/json.hpp>

namespace gsu::run {

namespace observers {
#define OBSERVER(name) std::unique_ptr<RunObserver> name(const RunBegin&);
#include "run/run_observers.def"
#undef OBSERVER
}  // namespace observers

namespace {

constexpr MakeObserver kObservers[] = {
#define OBSERVER(name) observers::name,
#include "run/run_observers.def"
#undef OBSERVER
};

}  // namespace

RunObservers::RunObservers(const CommonOptions& options, const trace::Header& header,
                           const SharedMemory* memory)
{
    if (!options.record.empty()) writer_ = std::make_unique<trace::Writer>(options.record, header);
    for (const MakeObserver make : kObservers) {
        std::unique_ptr<RunObserver> one = make({options, header, memory, writer_.get()});
        if (!one) continue;
        for (PortObserver* port : one->ports()) ports_.push_back(port);
        if (TensorObserver* tensor = one->tensor()) tensor_.push_back(tensor);
        all_.push_back(std::move(one));
    }
    places_ = std::make_unique<PlaceTeller>(ports_);
}

void RunObservers::watch(Executor& executor)
{
    executor.addObserver(*places_);
    executor.watchTensor(*this);
}

void RunObservers::onTensor(const TensorActivity& activity)
{
    for (TensorObserver* o : tensor_) o->onTensor(activity);
}

void RunObservers::finish(const RunEnd& end, Outputs& outputs)
{
    for (const auto& o : all_) o->finish(end, outputs);
}

std::string RunObservers::text(const ReportStyle& style) const
{
    std::string out;
    for (const auto& o : all_) o->text(out, style);
    return out;
}

void RunObservers::addTo(nlohmann::ordered_json& out) const
{
    for (const auto& o : all_) o->json(out);
}

}  // namespace gsu::run
