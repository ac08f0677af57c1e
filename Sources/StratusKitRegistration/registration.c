#include "registration.h"

/// Runs before main, because an app may read an archive before it uses the framework.
__attribute__((constructor)) static void stratus_kit_register_at_load(void) {
  stratus_kit_register();
}
