// Preloaded into tests that run under Thread Sanitizer on Linux: `scripts/soak sanitizers`.
//
// `Synchronization.Mutex` takes a free lock by an atomic exchange, which is compiled into the
// caller and which the sanitizer sees. A lock that another thread holds is taken and given up in
// the toolchain's library, which the sanitizer does not see, so that it reports races between the
// bodies of one lock. These functions stand before those of the library and tell it.
//
// Built at run time by the toolchain's clang, since they have Swift's calling convention:
//   clang -shared -fPIC -O1 -o tsan-locks.so scripts/tsan-locks.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// `_MutexHandle._lockSlow(_: UInt32)`, `_unlockSlow()`, `_tryLockSlow() -> Bool`
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// Weak, because a program without the sanitizer may start the tests.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock(uint32_t thread, SELF self) __asm__(LOCK);
SWIFT void unlock(SELF self) __asm__(UNLOCK);
SWIFT bool try_lock(SELF self) __asm__(TRY_LOCK);

static SWIFT void (*real_lock)(uint32_t, SELF);
static SWIFT void (*real_unlock)(SELF);
static SWIFT bool (*real_try_lock)(SELF);

__attribute__((constructor)) static void start(void) {
  real_lock = dlsym(RTLD_NEXT, LOCK);
  real_unlock = dlsym(RTLD_NEXT, UNLOCK);
  real_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
}

SWIFT void lock(uint32_t thread, SELF self) {
  real_lock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock(SELF self) {
  if (__tsan_release) __tsan_release(self);
  real_unlock(self);
}

SWIFT bool try_lock(SELF self) {
  bool is_locked = real_try_lock(self);
  if (is_locked && __tsan_acquire) __tsan_acquire(self);
  return is_locked;
}
