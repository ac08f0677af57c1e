import Foundation
public import StratusKit

extension TestDevice {
  /// Joins a share, as if the user had opened the share's URL. The shared records are then in the
  /// device's shared database.
  ///
  /// ```swift
  /// let share = CKShare(rootRecord: list)
  /// share.addParticipant(bob.participant(.readWrite))
  /// try await database.modifyRecords(saving: [list, share], deleting: [])
  /// try await bobsPhone.accept(share)
  /// ```
  ///
  /// The share must be in a container that a device of the test has used.
  ///
  /// - Parameter share: a share that was saved.
  /// - Returns: the share as the device's user sees it.
  /// - Throws: `CKError.unknownItem` if the user is not invited, or if the share has ended.
  ///   `CKError.invalidArguments` if the share was never saved.
  @discardableResult
  public func accept(_ share: CKShare) async throws -> CKShare {
    guard let url = share.url else {
      throw CKError(
        .invalidArguments, userInfo: [NSLocalizedDescriptionKey: "save the share first: no URL"])
    }
    // The URL does not name the container, so each container that a device has used is tried.
    var failure: CKError?
    for address in core.usedStores {
      let container = container(at: address)
      do {
        return try await container.accept(container.shareMetadata(for: url))
      } catch let error as CKError {
        if failure == nil || error.code != .unknownItem { failure = error }
      }
    }
    throw failure ?? CKError(.unknownItem)
  }
}

extension TestAccount {
  /// The account's user as an invited participant: `share.addParticipant(bob.participant())`.
  ///
  /// - Parameter permission: the user's permission for the shared records.
  public func participant(
    _ permission: CKShare.ParticipantPermission = .readWrite
  ) -> CKShare.Participant {
    let participant = CKShare.Participant(
      inviting: CKUserIdentity.LookupInfo(emailAddress: email))
    participant.permission = permission
    return participant
  }

  /// Joins a share on a new device of the account. See ``TestDevice/accept(_:)``.
  @discardableResult
  public func accept(_ share: CKShare) async throws -> CKShare {
    try await device("sharing").accept(share)
  }
}
