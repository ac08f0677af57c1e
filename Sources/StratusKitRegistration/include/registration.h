#pragma once

/// Makes the framework's classes known by the names Apple's archives give them.
/// Defined in StratusKit, in Swift.
void stratus_kit_register(void);
