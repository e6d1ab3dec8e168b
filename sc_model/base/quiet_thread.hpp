/// A thread that takes no signals: signals go to the threads that the program itself has started.
#pragma once
#include <csignal>
#include <thread>
#include <utility>

namespace gsu {

template <class Work> [[nodiscard]] std::thread quietThread(Work&& work)
{
    sigset_t all{}, before{};
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // a new thread inherits the mask
    std::thread thread(std::forward<Work>(work));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace gsu
