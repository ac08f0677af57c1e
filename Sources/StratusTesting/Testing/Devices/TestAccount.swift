import Foundation
import StratusAccounts
import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// A user of a ``TestServer``, with any number of devices.
///
/// ```swift
/// let alice = try await server.account("alice@example.com")
/// let phone = alice.device("phone"), laptop = alice.device("laptop")
/// alice.isStorageFull = true
/// ```
public struct TestAccount: Sendable {
  let core: TestCore
  let state: AccountState

  /// The account's name.
  public var email: String { state.email }

  /// Returns a new device on which the account is signed in.
  ///
  /// - Parameter name: a label, which does not have to be unique.
  public func device(_ name: String) -> TestDevice {
    TestDevice(name: name, core: core, account: state)
  }

  /// Whether a management profile or parental controls restrict the account. While this property is
  /// true, every call of the account's devices fails with `managedAccountRestricted`, and the
  /// account's status is `restricted`. `CKAccountChanged` is posted when the value changes.
  public var isRestricted: Bool {
    get { state.standing.isRestricted }
    nonmutating set { change { $0.isRestricted = newValue } }
  }

  /// Whether the user must sign in again. While this property is true, every call of the account's
  /// devices fails with `accountTemporarilyUnavailable`. `CKAccountChanged` is posted when the
  /// value changes.
  public var isTemporarilyUnavailable: Bool {
    get { state.standing.isTemporarilyUnavailable }
    nonmutating set { change { $0.isTemporarilyUnavailable = newValue } }
  }

  /// Changes the account's restrictions, and notifies the devices on which the account is signed
  /// in.
  private func change(_ body: (inout AccountState.Standing) -> Void) {
    state.change(body)
    for device in core.devices { device.note(state) }
  }

  /// Whether the account's storage is full. While this property is true, records of the account's
  /// private databases can be deleted, but saves fail with `quotaExceeded`.
  public var isStorageFull: Bool {
    get { state.standing.isStorageFull }
    nonmutating set { state.change { $0.isStorageFull = newValue } }
  }

  /// Gives the account's user a custom role, as `stratus role grant` does.
  ///
  /// - Throws: `CKError.unknownItem` if the container's schema has no such role.
  public func grantRole(_ role: String, in containerIdentifier: String) async throws {
    try await change(role, in: containerIdentifier) { (roles, user, address) throws(ServerError) in
      _ = try await roles.grant(role, to: UserRoles.Holder(user), at: address)
    }
  }

  /// Removes a custom role from the account's user.
  ///
  /// - Throws: the same errors as ``grantRole(_:in:)``.
  public func revokeRole(_ role: String, in containerIdentifier: String) async throws {
    try await change(role, in: containerIdentifier) { (roles, user, address) throws(ServerError) in
      _ = try await roles.revoke(role, from: UserRoles.Holder(user), at: address)
    }
  }

  private func change(
    _ role: String, in container: String,
    _ body: (UserRoles, String, StoreAddress) async throws(ServerError) -> Void
  ) async throws {
    let address = StoreAddress(container: container, environment: core.environment)
    let user = try await core.userRecordName(of: state, at: address)
    do throws(ServerError) {
      try await core.prepare(address)
      try await body(core.composition.roles, user, address)
    } catch {
      throw CKError(.unknownItem, userInfo: [NSLocalizedDescriptionKey: error.reason])
    }
  }

  /// Deletes a zone, as when a user deletes an app's data in the system's settings.
  ///
  /// Devices receive a zone deletion with the reason `purged`. Saves to the zone fail with
  /// `userDeletedZone` until an app creates the zone again.
  ///
  /// - Throws: `CKError.zoneNotFound` if the zone does not exist.
  public func purgeZone(_ zoneName: String, in containerIdentifier: String) async throws {
    try await deleteZone(zoneName, in: containerIdentifier, reason: .purged)
    let purged = AccountState.PurgedZone(
      container: containerIdentifier, name: ExactName(zoneName))
    state.change { $0.purgedZones.insert(purged) }
  }

  /// Deletes a zone, as when a user resets end-to-end encrypted data after losing all keys.
  ///
  /// Devices receive a zone deletion with the reason `encryptedDataReset`. Saves to the zone fail
  /// with `zoneNotFound`. The error's `userInfo` contains `CKErrorUserDidResetEncryptedDataKey`.
  ///
  /// - Throws: `CKError.zoneNotFound` if the zone does not exist.
  public func resetEncryptedData(
    ofZone zoneName: String, in containerIdentifier: String
  ) async throws {
    try await deleteZone(zoneName, in: containerIdentifier, reason: .encryptedDataReset)
  }

  private func deleteZone(
    _ zoneName: String, in container: String, reason: ZoneDeletionReason
  ) async throws {
    let address = StoreAddress(container: container, environment: core.environment)
    let user = try await core.userRecordName(of: state, at: address)
    let origin = ChangeOrigin(
      user: user, deviceID: nil, notificationID: "purge-\(core.activity)",
      time: Int64(core.clock.date.timeIntervalSince1970 * 1_000))
    let isDone = try await core.composition.store(at: address).write {
      (store) throws(ServerError) in
      guard let zone = try store.lockZone(named: zoneName, in: .private(owner: user)) else {
        return false
      }
      try store.add(WatchedChange(zone: zone, event: .zoneDeleted, origin: origin))
      try store.deleteZone(zone, reason: reason, at: origin.time)
      return true
    }
    if !isDone { throw CKError(.zoneNotFound) }
    await core.continueWork()
  }
}
