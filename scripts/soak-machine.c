// This library is preloaded into a server by `scripts/soak mixed`. It moves the wall clock and
// makes the disk seem full. The variable STRATUS_SOAK_MACHINE names a file of 16 bytes that
// controls it: the seconds that are added to the clock, and a number that is not zero while no file
// can grow. The monotonic clock never moves.
//
// `scripts/soak` builds this file: cc -shared -fPIC -O1 -o soak-machine.so scripts/soak-machine.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct machine {
  volatile int64_t seconds;
  volatile int64_t is_full;
};

static const struct machine usual;
static const struct machine *machine = &usual;

// The functions of the system's library. They are looked up when they are first called, which may be
// before this library's own constructor runs.
#define REAL(name, type, ...) \
  static type real_##name(__VA_ARGS__)
#define LOOK_UP(symbol, type, ...)                                  \
  static type (*found)(__VA_ARGS__);                                \
  if (!found) found = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, symbol)

REAL(gettime, int, clockid_t clock, struct timespec *time) {
  LOOK_UP("clock_gettime", int, clockid_t, struct timespec *);
  return found(clock, time);
}

REAL(timedwait, int, pthread_cond_t *condition, pthread_mutex_t *mutex,
     const struct timespec *deadline) {
  LOOK_UP("pthread_cond_timedwait", int, pthread_cond_t *, pthread_mutex_t *,
          const struct timespec *);
  return found(condition, mutex, deadline);
}

REAL(write, ssize_t, int file, const void *bytes, size_t count) {
  LOOK_UP("write", ssize_t, int, const void *, size_t);
  return found(file, bytes, count);
}

REAL(pwrite, ssize_t, int file, const void *bytes, size_t count, off64_t place) {
  LOOK_UP("pwrite64", ssize_t, int, const void *, size_t, off64_t);
  return found(file, bytes, count, place);
}

REAL(fallocate, int, int file, off64_t place, off64_t count) {
  LOOK_UP("posix_fallocate64", int, int, off64_t, off64_t);
  return found(file, place, count);
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("STRATUS_SOAK_MACHINE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *shared = mmap(NULL, sizeof(struct machine), PROT_READ, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) machine = shared;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = real_gettime(clock, time);
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall) time->tv_sec += machine->seconds;
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// The kernel does not know the moved clock, so the same number of seconds is subtracted from a
// deadline.
int pthread_cond_timedwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  struct timespec moved = *deadline;
  struct timespec real;
  real_gettime(CLOCK_REALTIME, &real);
  // A condition may also use the monotonic clock. Its deadlines differ so much from the wall
  // clock's that they can be recognised.
  if (moved.tv_sec > real.tv_sec / 2) moved.tv_sec -= machine->seconds;
  return real_timedwait(condition, mutex, &moved);
}

static int is_refused(int file, off64_t end) {
  struct stat64 status;
  if (!machine->is_full || fstat64(file, &status) != 0) return 0;
  return S_ISREG(status.st_mode) && end > status.st_size;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (machine->is_full) {
    off64_t place = lseek64(file, 0, SEEK_CUR);
    if (place >= 0 && is_refused(file, place + (off64_t)count)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return real_write(file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  if (is_refused(file, place + (off64_t)count)) {
    errno = ENOSPC;
    return -1;
  }
  return real_pwrite(file, bytes, count, place);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  return pwrite64(file, bytes, count, place);
}

int posix_fallocate64(int file, off64_t place, off64_t count) {
  if (is_refused(file, place + count)) return ENOSPC;
  return real_fallocate(file, place, count);
}

int posix_fallocate(int file, off_t place, off_t count) {
  return posix_fallocate64(file, place, count);
}
