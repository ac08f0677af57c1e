#include "registration.h"

/// Runs before main, because an archive may be read before anything else of the framework is used.
__attribute__((constructor)) static void stratus_kit_register_at_load(void) {
  stratus_kit_register();
}
