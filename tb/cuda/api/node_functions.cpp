// Functions of both APIs that ask for what nodes of graphs were given, or change it, and have the same parameters in both.
#include "cuda/api/driver.hpp"
#include "cuda/api/node_calls.hpp"

using namespace gsu::cuda;

#define GSU_BOTH(name, parameters, work)                                                           \
    GSU_RUNTIME(cudaGraph##name) parameters                                                        \
    {                                                                                              \
        return runtimeCall("cudaGraph" #name, [&](Platform& p) { return work; });                  \
    }                                                                                              \
    GSU_DRIVER(cuGraph##name) parameters                                                           \
    {                                                                                              \
        return contextCall("cuGraph" #name, [&](Platform& p) { return work; });                    \
    }

GSU_BOTH(EventRecordNodeGetEvent, (Handle node, Handle* event), givenEvent(p, node, event, true))
GSU_BOTH(EventWaitNodeGetEvent, (Handle node, Handle* event), givenEvent(p, node, event, false))
GSU_BOTH(EventRecordNodeSetEvent, (Handle node, Handle event),
         setEvent(p, nullptr, node, event, true))
GSU_BOTH(EventWaitNodeSetEvent, (Handle node, Handle event),
         setEvent(p, nullptr, node, event, false))
GSU_BOTH(ExecEventRecordNodeSetEvent, (Handle instance, Handle node, Handle event),
         setEvent(p, instance, node, event, true))
GSU_BOTH(ExecEventWaitNodeSetEvent, (Handle instance, Handle node, Handle event),
         setEvent(p, instance, node, event, false))
GSU_BOTH(ChildGraphNodeGetGraph, (Handle node, Handle* graph), givenChild(p, node, graph))
GSU_BOTH(ExecChildGraphNodeSetParams, (Handle instance, Handle node, Handle child),
         changeInstance(p, instance, node, childWork(p, child)))
GSU_BOTH(NodeFindInClone, (Handle * found, Handle node, Handle clone),
         findInClone(p, found, node, clone))
GSU_BOTH(NodeSetEnabled, (Handle instance, Handle node, unsigned enabled),
         setEnabled(p, instance, node, enabled))
GSU_BOTH(NodeGetEnabled, (Handle instance, Handle node, unsigned* enabled),
         getEnabled(p, instance, node, enabled))
