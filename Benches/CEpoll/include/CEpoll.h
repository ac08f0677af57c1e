// Functions of the C library that Swift's `Glibc` module does not have: Linux's epoll, and a search
// in memory.
#ifndef CEPOLL_H
#define CEPOLL_H

#include <stddef.h>
#include <sys/epoll.h>

/// The offset of `needle` in `text`; -1 if it is not there.
ptrdiff_t cepoll_find(
  const void *text, size_t text_count, const void *needle, size_t needle_count);

#endif
