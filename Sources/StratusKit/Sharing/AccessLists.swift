import Foundation
import StratusWire

/// The requesters and blocked users of a share, and the changes that the next save sends.
///
/// A save sends only the changed names instead of whole lists. Requests for access that the server
/// has received since the last fetch are thereby kept.
struct AccessLists {
  var allowsRequests = false
  var requesters: [CKShare.AccessRequester] = []
  var blocked: [CKShare.BlockedIdentity] = []
  private var savedAllowsRequests = false
  private var savedRequesters: [CKShare.AccessRequester] = []
  private var savedBlocked: [CKShare.BlockedIdentity] = []
  /// The record names of users to deny, to block and to unblock with the next save.
  private var denied: [String] = []
  private var toBlock: [String] = []
  private var toUnblock: [String] = []

  /// The lists as the server last returned them, without the app's changes.
  var saved: AccessLists {
    var lists = AccessLists()
    lists.allowsRequests = savedAllowsRequests
    lists.savedAllowsRequests = savedAllowsRequests
    (lists.requesters, lists.savedRequesters) = (savedRequesters, savedRequesters)
    (lists.blocked, lists.savedBlocked) = (savedBlocked, savedBlocked)
    return lists
  }

  /// Whether the app has changed the lists or `allowsRequests` since the last fetch or save.
  var hasChanges: Bool {
    allowsRequests != savedAllowsRequests || !denied.isEmpty || !toBlock.isEmpty
      || !toUnblock.isEmpty
  }

  mutating func deny(_ users: [CKShare.AccessRequester]) {
    let names = Set(users.compactMap(\.userRecordName))
    denied += requesters.compactMap(\.userRecordName).filter { names.contains($0) }
    requesters.removeAll { names.contains($0.userRecordName ?? "") }
  }

  mutating func block(_ users: [CKShare.AccessRequester]) {
    for user in users {
      guard let name = user.userRecordName, !toBlock.contains(name) else { continue }
      toBlock.append(name)
      toUnblock.removeAll { $0 == name }
      requesters.removeAll { $0.userRecordName == name }
      if blocked.allSatisfy({ $0.userRecordName != name }) {
        blocked.append(CKShare.BlockedIdentity(user.userIdentity))
      }
    }
  }

  mutating func unblock(_ users: [CKShare.BlockedIdentity]) {
    for user in users {
      guard let name = user.userRecordName, !toUnblock.contains(name) else { continue }
      toUnblock.append(name)
      toBlock.removeAll { $0 == name }
      blocked.removeAll { $0.userRecordName == name }
    }
  }

  /// Returns the values that a save of the share sends: the changes of these lists, and the
  /// parameters.
  func input(
    rootRecordName: String?, publicPermission: SharePermissionName?,
    participants: [ShareParticipant]?
  ) -> ShareInput {
    ShareInput(
      rootRecordName: rootRecordName, publicPermission: publicPermission,
      participants: participants,
      allowsAccessRequests: allowsRequests == savedAllowsRequests ? nil : allowsRequests,
      deniedRequesters: denied, blockedRequesters: toBlock, unblockedIdentities: toUnblock)
  }

  /// Adopts the server's version.
  ///
  /// - Parameter sent: the lists when the save was sent; nil if the share was fetched. After a
  ///   save, changes that the app has made since then remain. A fetch discards all changes.
  mutating func take(_ details: ShareDetails, naming: UserNaming, after sent: AccessLists?) {
    savedRequesters = details.requesters.map {
      CKShare.AccessRequester(CKUserIdentity(wire: $0.identity, naming: naming))
    }
    savedBlocked = details.blocked.map {
      CKShare.BlockedIdentity(CKUserIdentity(wire: $0.identity, naming: naming))
    }
    savedAllowsRequests = details.allowsAccessRequests
    if sent == nil || sent?.allowsRequests == allowsRequests {
      allowsRequests = savedAllowsRequests
    }
    let done = sent ?? self
    denied.removeAll { done.denied.contains($0) }
    toBlock.removeAll { done.toBlock.contains($0) }
    toUnblock.removeAll { done.toUnblock.contains($0) }
    let laterBlocked = blocked.filter { toBlock.contains($0.userRecordName ?? "") }
    requesters = savedRequesters.filter { requester in
      let name = requester.userRecordName ?? ""
      return !denied.contains(name) && !toBlock.contains(name)
    }
    blocked =
      savedBlocked.filter { user in
        let name = user.userRecordName ?? ""
        return !toUnblock.contains(name) && !toBlock.contains(name)
      } + laterBlocked
  }

  // Archives

  private enum CodingKey {
    /// NB: the keys of these values in Apple's archives are not known.
    static let allowsRequests = "StratusAllowsAccessRequests"
    static let savedAllowsRequests = "StratusSavedAllowsAccessRequests"
    static let requesters = "StratusRequesters"
    static let blocked = "StratusBlockedIdentities"
    static let denied = "StratusDeniedRequesters"
    static let toBlock = "StratusRequestersToBlock"
    static let toUnblock = "StratusIdentitiesToUnblock"
  }

  init() {}

  init(coder: NSCoder) {
    allowsRequests = coder.flag(CodingKey.allowsRequests)
    savedAllowsRequests = coder.flag(CodingKey.savedAllowsRequests)
    savedRequesters = coder.list(CodingKey.requesters, of: CKShare.AccessRequester.self) ?? []
    savedBlocked = coder.list(CodingKey.blocked, of: CKShare.BlockedIdentity.self) ?? []
    (requesters, blocked) = (savedRequesters, savedBlocked)
    deny(requesters.named(coder.texts(CodingKey.denied) ?? []))
    block(requesters.named(coder.texts(CodingKey.toBlock) ?? []))
    unblock(blocked.named(coder.texts(CodingKey.toUnblock) ?? []))
  }

  func encode(with coder: NSCoder) {
    if allowsRequests { coder.encode(true, forKey: CodingKey.allowsRequests) }
    if savedAllowsRequests { coder.encode(true, forKey: CodingKey.savedAllowsRequests) }
    if !savedRequesters.isEmpty {
      coder.encode(list: savedRequesters, forKey: CodingKey.requesters)
    }
    if !savedBlocked.isEmpty { coder.encode(list: savedBlocked, forKey: CodingKey.blocked) }
    for (key, names) in [
      (CodingKey.denied, denied), (CodingKey.toBlock, toBlock), (CodingKey.toUnblock, toUnblock),
    ] where !names.isEmpty { coder.encode(texts: names, forKey: key) }
  }
}

extension [CKShare.AccessRequester] {
  fileprivate func named(_ names: [String]) -> [CKShare.AccessRequester] {
    filter { names.contains($0.userRecordName ?? "") }
  }
}

extension [CKShare.BlockedIdentity] {
  fileprivate func named(_ names: [String]) -> [CKShare.BlockedIdentity] {
    filter { names.contains($0.userRecordName ?? "") }
  }
}

extension ShareContents {
  /// Blocks users, and removes them from the participants.
  mutating func block(_ users: [CKShare.AccessRequester]) {
    access.block(users)
    let blocked = access.blocked
    participants.removeAll { participant in
      participant.role != .owner
        && blocked.contains { user in
          user.userIdentity.userRecordID.map { id in
            id == participant.userIdentity.userRecordID
              || id == participant.userIdentity.lookupInfo?.userRecordID
          } ?? false
        }
    }
  }
}
