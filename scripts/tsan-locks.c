// This library is preloaded into tests that run under Thread Sanitizer on Linux (`scripts/soak
// sanitizers`).
//
// `Synchronization.Mutex` takes a free lock by an atomic exchange. This is compiled into the
// caller, so the sanitizer sees it. If another thread holds the lock, functions of the toolchain's
// library take and release it. The sanitizer does not see these, so it reports races between pieces
// of code that hold the same lock. The functions in this file are called instead of the library's,
// and tell the sanitizer about each call.
//
// `scripts/soak` builds this file with the toolchain's clang, because the functions have Swift's
// calling convention:
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

// These declarations are weak, because the program that starts the tests may not have the
// sanitizer.
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
