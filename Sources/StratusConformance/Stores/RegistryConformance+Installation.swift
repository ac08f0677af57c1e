import StratusDomain
import StratusWire

/// The checks of the installation's ID and of the removals after a restored backup.
extension RegistryConformance {
  static func installationIDsStay(_ registry: any Registry) async throws {
    try expect(try await registry.installationID(orKeep: "one"), "one")
    try expect(try await registry.installationID(orKeep: "two"), "one")
  }

  static func installationIDsAreShared(_ pair: RegistryPair) async throws {
    async let one = pair.one.installationID(orKeep: "one")
    async let other = pair.other.installationID(orKeep: "other")
    let (first, second) = try await (one, other)
    try expect(first, second)
    try expect(try await pair.one.installationID(orKeep: "third"), first)
  }

  static func noRemovalsArePending(_ registry: any Registry) async throws {
    try expect(try await registry.pendingRemovals(), [])
    try await registry.forgetPendingRemovals()
    try expect(try await registry.pendingRemovals(), [])
  }
}
