/// An observer of a run that has a part in the report: a class of its own in observers/, and a line in run_observers.def.
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

/// The facts known when a run begins. All of them outlive the observers.
struct RunBegin {
    const CommonOptions& options;
    const trace::Header& header;
    const SharedMemory* memory{};  ///< memory of the executor; nullptr: there is none
    trace::Writer* writer{};       ///< writer of --record; nullptr without it
};

/// The facts known when a run is over.
struct RunEnd {
    Cycle now{};
    RunMarks marks{};                  ///< moments to be marked
    const RunResult* result{};         ///< nullptr: there is no executor, or there are several
    const ptx::Module* module{};       ///< nullptr: there is no executor, or there are several
    std::function<void()> endWaves{};  ///< gives the wave file its name
};

/// Style of a report for people.
struct ReportStyle {
    bool colour{};
    std::vector<std::string> source{};  ///< by PTX line; empty: not known
    const ptx::Module* module{};        ///< nullptr: not known
};

/// An observer of a run. The defaults observe nothing and report nothing.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    /// Observers for events at the port.
    [[nodiscard]] virtual std::vector<PortObserver*> ports() { return {}; }
    /// The observer for tensor memory, or nullptr.
    [[nodiscard]] virtual TensorObserver* tensor() { return nullptr; }
    /// Writes files after the run. Called once.
    virtual void finish(const RunEnd&, Outputs&) {}
    /// Adds to the report for people, after finish().
    virtual void text(std::string&, const ReportStyle&) const {}
    /// Adds keys to the report for programs, after finish().
    virtual void json(nlohmann::ordered_json&) const {}
};

/// Makes an observer; nullptr: the options do not ask for it. Throws InputError.
using MakeObserver = std::unique_ptr<RunObserver> (*)(const RunBegin&);

}  // namespace gsu::run
