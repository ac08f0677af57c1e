#define _GNU_SOURCE
#include "CEpoll.h"

#include <string.h>

ptrdiff_t cepoll_find(
  const void *text, size_t text_count, const void *needle, size_t needle_count) {
  const char *found = memmem(text, text_count, needle, needle_count);
  return found ? found - (const char *)text : -1;
}
