import StratusTesting
import Testing

/// Every kind of user tries every operation at every position, in a hierarchical share and in a
/// zone-wide share. ``Expectation`` has the expected results.
@Suite struct `The matrix of participants` {
  @Test(arguments: ["development", "production"])
  func `every kind of user gets the expected result of every operation on shared records`(
    environment: String
  ) async throws {
    var (cells, wrong) = (0, 0)
    for form in ShareForm.allCases {
      for kind in Kind.allCases {
        try await withServer { server in
          let scene = try await ShareScene(server, in: environment)
          // NB: an account has a limited number of sessions, so the guest signs in once.
          let bob = try await scene.guest("bob")
          // An attempt that is refused changes nothing, so the next one uses the same zone.
          var kept: MatrixZone?
          for operation in Attempt.allCases {
            for position in Position.allCases where operation.applies(to: position) {
              let cell = Cell(form: form, kind: kind, attempt: operation, position: position)
              let zone: MatrixZone
              if let kept {
                zone = kept
              } else {
                zone = try await MatrixZone(scene, bob, "Z\(cells)", cell)
              }
              let result = try await zone.result(of: cell)
              kept = operation.changesZone && result == "OK" ? nil : zone
              let expected = Expectation(cell).code
              cells += 1
              if result != expected {
                wrong += 1
                Issue.record(
                  "\(form) \(kind) \(operation) \(position): \(result), expected \(expected)")
              }
            }
          }
        }
      }
    }
    print("participants in \(environment): \(cells) cells, \(wrong) wrong")
    #expect(cells == 2 * 16 * 94)
  }
}

enum ShareForm: CaseIterable { case hierarchy, zone }

enum Kind: CaseIterable {
  case owner, administrator, writer, reader, publicWriter, publicReader
  case pending, removed, left, elsewhere, stranger, anonymous
  /// The owner has set the permission of the user's entry to NONE.
  case withdrawn
  /// The share has a one-time URL for one participant, and the user does not have this URL.
  case oneTimePending
  /// The user was a participant until the owner blocked the user.
  case blocked
  /// The user has asked for access.
  case requester

  /// Whether the user has accepted the share and still participates.
  var participates: Bool {
    switch self {
    case .administrator, .writer, .reader, .publicWriter, .publicReader: true
    case .owner, .pending, .removed, .left, .elsewhere, .stranger, .anonymous, .withdrawn,
      .oneTimePending, .blocked, .requester:
      false
    }
  }

  var mayWrite: Bool {
    switch self {
    case .owner, .administrator, .writer, .publicWriter: true
    case .reader, .publicReader, .pending, .removed, .left, .elsewhere, .stranger, .anonymous,
      .withdrawn, .oneTimePending, .blocked, .requester:
      false
    }
  }

  var publicPermission: String {
    switch self {
    case .publicWriter: "READ_WRITE"
    case .publicReader: "READ_ONLY"
    default: "NONE"
    }
  }
}

enum Position: CaseIterable {
  case root, child, grandchild, share, outside, orphan, missing

  var recordName: String {
    switch self {
    case .root: "root"
    case .child: "child"
    case .grandchild: "grandchild"
    case .share: "Share-1"
    case .outside: "outside"
    case .orphan: "orphan"
    case .missing: "missing"
    }
  }
}

enum Attempt: CaseIterable {
  case lookup, query, feed, update, createBelow, moveOut, delete, resolve, accept, moveShare
  case requestAccess
  /// Saves and deletions of a name that may be taken: without a tag, with a wrong tag, or with the
  /// record's tag.
  case create, staleUpdate, taggedUpdate, replace, taggedDelete
  /// Gives a record outside the share a parent in the share.
  case moveIn
  /// Creates a record without a parent.
  case createOrphan
  /// Creates another share, of the record at the position.
  case share
  /// Blocks a user.
  case block
  case lookupZone, listZones, databaseFeed, recordsChanges, deleteZone
  /// Asks for a URL to which the caller may send a file for the root.
  case upload
  /// Adds a participant to the share.
  case invite
  /// Opens the share to all users with its URL.
  case publish

  /// Whether an attempt may change the zone, so that the next attempt needs another one.
  var changesZone: Bool {
    switch self {
    case .lookup, .query, .feed, .resolve, .staleUpdate, .lookupZone, .listZones, .databaseFeed,
      .recordsChanges, .upload:
      false
    case .update, .createBelow, .moveOut, .delete, .accept, .moveShare, .requestAccess, .create,
      .taggedUpdate, .replace, .taggedDelete, .moveIn, .createOrphan, .share, .block, .deleteZone,
      .invite, .publish:
      true
    }
  }

  func applies(to position: Position) -> Bool {
    switch self {
    case .lookup, .feed, .update, .delete, .create, .staleUpdate, .taggedUpdate, .taggedDelete: true
    // The query is for records of the type Place.
    case .query, .replace: position != .share
    case .createBelow: position != .share && position != .missing
    case .moveOut: [.root, .child, .grandchild].contains(position)
    case .resolve, .accept, .moveShare, .requestAccess, .invite, .publish, .block:
      position == .share
    case .moveIn: position == .orphan
    case .share: [.root, .child, .outside].contains(position)
    // These attempts are about the zone, or about the root.
    case .createOrphan, .lookupZone, .listZones, .databaseFeed, .recordsChanges, .deleteZone,
      .upload:
      position == .root
    }
  }
}

struct Cell {
  let form: ShareForm
  let kind: Kind
  let attempt: Attempt
  let position: Position
}
