#include "padless/core/runtime.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "padless/core/fp.h"

namespace padless {
namespace {

// The loop that this thread works for: whose it is, and the thread's number in it.
struct Loop {
  const void* runtime = nullptr;
  std::size_t worker = 0;
};
thread_local Loop this_loop;

/// While it lives, the thread works for a loop; then for the one it worked for before.
class Inside {
 public:
  explicit Inside(Loop loop) : before_(std::exchange(this_loop, loop)) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { this_loop = before_; }

 private:
  Loop before_;
};

}  // namespace

/// The threads beside the caller. They sleep between loops.
class Runtime::Pool {
 public:
  Pool(const Runtime* owner, std::size_t helpers) : owner_(owner) {
    try {
      for (std::size_t h = 0; h < helpers; ++h) {
        threads_.emplace_back([this, worker = h + 1] { serve(worker); });
      }
    } catch (...) {  // The system has no more: those there are must not outlive us.
      close();
      throw;
    }
  }
  ~Pool() { close(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run(std::size_t count, void* work, Call call) {
    {
      const std::lock_guard lock(mutex_);
      count_ = count;
      work_ = work;
      call_ = call;
      next_.store(0, std::memory_order_relaxed);
      failure_ = nullptr;
      open_ = true;
      ++loop_;
    }
    wake_.notify_all();
    take_items(0);
    // A thread that has not come by now has nothing left to do: on a busy machine it may be long in
    // coming, and is not waited for.
    std::unique_lock lock(mutex_);
    open_ = false;
    done_.wait(lock, [this] { return inside_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void serve(std::size_t worker) {
    std::size_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return closing_ || loop_ != seen; });
        if (closing_) return;
        seen = loop_;
        if (!open_) continue;
        ++inside_;
      }
      take_items(worker);
      const std::lock_guard lock(mutex_);
      if (--inside_ == 0) done_.notify_one();
    }
  }

  void take_items(std::size_t worker) {
    const FpEnvironment environment;
    const Inside inside({owner_, worker});
    try {
      for (std::size_t item; (item = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
        call_(work_, item, worker);
      }
    } catch (...) {
      next_.store(count_, std::memory_order_relaxed);
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  const Runtime* owner_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<std::size_t> next_{0};
  std::size_t count_ = 0;
  void* work_ = nullptr;
  Call call_ = nullptr;
  std::exception_ptr failure_;
  std::size_t inside_ = 0;  // threads beside the caller that work for the loop
  bool open_ = false;       // whether more may join
  std::size_t loop_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

Runtime::Runtime() : Runtime(Options{}) {}

Runtime::Runtime(Options options)
    : threads_(options.threads != 0 ? options.threads
                                    : std::max(1u, std::thread::hardware_concurrency())),
      isa_(options.isa ? isa_from_name(name(*options.isa)) : default_isa()) {
  if (threads_ > 1) pool_ = std::make_unique<Pool>(this, threads_ - 1);
}

Runtime::~Runtime() = default;

void Runtime::run(std::size_t count, void* work, Call call) {
  if (!pool_ || count <= 1 || this_loop.runtime != nullptr) {
    const FpEnvironment environment;
    // Within a loop of this runtime the thread keeps its number; in another's it is alone here.
    const std::size_t worker = this_loop.runtime == this ? this_loop.worker : 0;
    const Inside inside({this, worker});
    for (std::size_t item = 0; item < count; ++item) call(work, item, worker);
    return;
  }
  pool_->run(count, work, call);
}

}  // namespace padless
