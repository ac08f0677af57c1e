import Foundation
import StratusAccounts
import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// Somebody who uses a ``TestServer``, with any number of devices.
///
/// ```swift
/// let alice = try await server.account("alice@example.com")
/// let phone = alice.device("phone"), laptop = alice.device("laptop")
/// alice.isStorageFull = true
/// ```
public struct TestAccount: Sendable {
  let core: TestCore
  let state: AccountState

  /// Its name.
  public var email: String { state.email }

  /// Another device where the account is signed in.
  ///
  /// - Parameter name: for people; it need not be unique.
  public func device(_ name: String) -> TestDevice {
    TestDevice(name: name, core: core, account: state)
  }

  /// Whether a management profile or parental controls keep it from CloudKit: every call fails with
  /// `managedAccountRestricted`, and the account's status is `restricted`. `CKAccountChanged` is
  /// posted when that begins or ends.
  public var isRestricted: Bool {
    get { state.standing.isRestricted }
    nonmutating set { change { $0.isRestricted = newValue } }
  }

  /// Whether somebody must sign in again: every call fails with `accountTemporarilyUnavailable`.
  /// `CKAccountChanged` is posted when that begins or ends.
  public var isTemporarilyUnavailable: Bool {
    get { state.standing.isTemporarilyUnavailable }
    nonmutating set { change { $0.isTemporarilyUnavailable = newValue } }
  }

  /// Changes what the server does for it, and tells the devices where it is signed in.
  private func change(_ body: (inout AccountState.Standing) -> Void) {
    state.change(body)
    for device in core.devices { device.note(state) }
  }

  /// Whether its storage is used up: records of its private databases can be deleted, but what is
  /// saved fails with `quotaExceeded`.
  public var isStorageFull: Bool {
    get { state.standing.isStorageFull }
    nonmutating set { state.change { $0.isStorageFull = newValue } }
  }

  /// Deletes a zone as somebody does who deletes an app's data in the system's settings.
  ///
  /// Devices hear of a deletion with the reason `purged`; saves to the zone fail with
  /// `userDeletedZone` until it is made again.
  ///
  /// - Throws: `CKError.zoneNotFound` if there is none.
  public func purgeZone(_ zoneName: String, in containerIdentifier: String) async throws {
    try await deleteZone(zoneName, in: containerIdentifier, reason: .purged)
    let purged = AccountState.PurgedZone(
      container: containerIdentifier, name: ExactName(zoneName))
    state.change { $0.purgedZones.insert(purged) }
  }

  /// Deletes a zone as somebody does who resets end-to-end encrypted data after losing all keys.
  ///
  /// Devices hear of a deletion with the reason `encryptedDataReset`; saves to the zone fail with
  /// `zoneNotFound`, with `CKErrorUserDidResetEncryptedDataKey` in its `userInfo`.
  ///
  /// - Throws: `CKError.zoneNotFound` if there is none.
  public func resetEncryptedData(
    ofZone zoneName: String, in containerIdentifier: String
  ) async throws {
    try await deleteZone(zoneName, in: containerIdentifier, reason: .encryptedDataReset)
  }

  private func deleteZone(
    _ zoneName: String, in container: String, reason: ZoneDeletionReason
  ) async throws {
    let address = StoreAddress(container: container, environment: .development)
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
    await core.carryOn()
  }
}
