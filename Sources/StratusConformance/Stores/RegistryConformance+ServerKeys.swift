import StratusDomain
import StratusWire

/// The checks of server-to-server keys.
extension RegistryConformance {
  static let serverKey = ServerKey(
    id: String(repeating: "0a", count: 32), publicKey: [4, 0, 255], store: production,
    name: "nightly", userRecordName: "_key", createdAt: 5)
  static let earlierKey = ServerKey(
    id: String(repeating: "0b", count: 32), publicKey: [4],
    store: StoreAddress(container: "iCloud.a", environment: .development),
    userRecordName: "_other", createdAt: 6, revokedAt: 7)

  static func serverKeysAreFound(_ registry: any Registry) async throws {
    for key in [serverKey, earlierKey] {
      try await registry.create(key)
      try expect(try await registry.serverKey(id: key.id), key)
    }
    try expect(try await registry.serverKey(id: "0a"), nil)
    var other = serverKey
    other.publicKey = [5]
    var isRefused = false
    do { try await registry.create(other) } catch { isRefused = true }
    try expect(isRefused, true)
    try expect(try await registry.serverKey(id: serverKey.id), serverKey)
  }

  static func serverKeysAreRevoked(_ registry: any Registry) async throws {
    var later = serverKey
    (later.id, later.createdAt) = ("0", 9)
    for key in [later, serverKey, earlierKey] { try await registry.create(key) }
    try expect(try await registry.serverKeys(), [earlierKey, serverKey, later])
    try expect(try await registry.usersOfRevokedKeys(in: production.container), [])
    try expect(try await registry.usersOfRevokedKeys(in: "iCloud.a"), ["_other"])
    let version = try await registry.version()
    try expect(try await registry.revokeServerKey(id: serverKey.id, at: 8), true)
    try expect(try await registry.version() > version, true)
    try expect(try await registry.revokeServerKey(id: serverKey.id, at: 9), false)
    try expect(try await registry.revokeServerKey(id: "missing", at: 9), false)
    try expect(try await registry.serverKey(id: serverKey.id)?.revokedAt, 8)
    try expect(try await registry.usersOfRevokedKeys(in: production.container), ["_key"])
    try expect(try await registry.serverKey(id: later.id), later)
  }
}
