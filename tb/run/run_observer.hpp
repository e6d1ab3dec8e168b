/// What watches a run and tells something about it: a class of its own in observers/, and a line in run_observers.def.
#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exec/result/result.hpp"
#include "exec/result/tensor_observer.hpp"
#include "golden/port_observer.hpp"
#include "observers/time_mark.hpp"
#include "ptx/ast.hpp"
#include "run/options.hpp"
#include "run/outputs.hpp"
#include "trace/writer.hpp"

namespace gsu::run {

/// What is known when a run begins. All of it outlives the observers.
struct RunBegin {
    const CommonOptions& options;
    const trace::Header& header;
    const SharedMemory* memory{};  ///< of the executor; nullptr: there is none
    trace::Writer* writer{};       ///< of --record; nullptr without it
};

/// What is known when a run is over.
struct RunEnd {
    Cycle now{};
    RunMarks marks{};                  ///< moments to be pointed out
    const RunResult* result{};         ///< nullptr: there is no executor, or there are several
    const ptx::Module* module{};       ///< nullptr: likewise
    std::function<void()> endWaves{};  ///< gives the waves their name
};

/// How a report for people is written.
struct ReportStyle {
    bool colour{};
    std::vector<std::string> source{};  ///< by PTX line; empty: not known
    const ptx::Module* module{};        ///< nullptr: not known
};

/// The defaults see and say nothing.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    /// What is told of events at the port.
    [[nodiscard]] virtual std::vector<PortObserver*> ports() { return {}; }
    /// What is told of tensor memory.
    [[nodiscard]] virtual TensorObserver* tensor() { return nullptr; }
    /// The run is over, and its files are wanted. Called once.
    virtual void finish(const RunEnd&, Outputs&) {}
    /// Adds to the report for people, after finish().
    virtual void text(std::string&, const ReportStyle&) const {}
    /// Adds keys to the report for programs, after finish().
    virtual void json(nlohmann::ordered_json&) const {}
};

/// nullptr: the options do not ask for it. Throws InputError.
using MakeObserver = std::unique_ptr<RunObserver> (*)(const RunBegin&);

}  // namespace gsu::run
