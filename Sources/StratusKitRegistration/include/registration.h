#pragma once

/// Registers the framework's classes under all their names in archives, including Apple's.
/// Defined in StratusKit, in Swift.
void stratus_kit_register(void);
