import StratusWire
import Testing

@testable import StratusDomain

/// The permissions of each caller for records of each kind.
@Suite struct AccessPolicies {
  private static let ann = "_ann"
  private static let bob = "_bob"

  /// One row of a table: the caller, the creator of the record, and the expected permissions.
  private struct Row {
    let caller: String?
    let creator: String?
    let read: Bool
    let create: Bool
    let write: Bool
  }

  private func expect(
    _ rows: [Row], grants: RecordGrants, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for row in rows {
      let policy = AccessPolicy(view: .public, user: row.caller)
      let allowed = [RecordPermissions.read, .create, .write].map {
        policy.allows(
          $0, createdBy: row.creator, type: "Note", schema: .notes(grants), as: .visitor)
      }
      #expect(
        allowed == [row.read, row.create, row.write], "\(row)", sourceLocation: sourceLocation)
    }
  }

  @Test
  func `by default, all callers may read, users may create, and only the creator may write`() {
    expect(
      [
        Row(caller: nil, creator: Self.ann, read: true, create: false, write: false),
        Row(caller: Self.bob, creator: Self.ann, read: true, create: true, write: false),
        Row(caller: Self.ann, creator: Self.ann, read: true, create: true, write: true),
      ], grants: .standard)
  }

  @Test func `no caller has a permission for a record type without any grant`() {
    let none = RecordGrants()
    expect(
      [
        Row(caller: nil, creator: Self.ann, read: false, create: false, write: false),
        Row(caller: Self.ann, creator: Self.ann, read: false, create: false, write: false),
      ], grants: none)
  }

  @Test func `a caller has the grants of all its roles`() {
    let grants = RecordGrants(roles: ["_world": .create, "_icloud": .read, "_creator": .write])
    expect(
      [
        Row(caller: nil, creator: Self.ann, read: false, create: true, write: false),
        Row(caller: Self.bob, creator: Self.ann, read: true, create: true, write: false),
        Row(caller: Self.ann, creator: Self.ann, read: true, create: true, write: true),
      ], grants: grants)
  }

  @Test func `a user has the creator role for a record that does not exist yet`() {
    let grants = RecordGrants(roles: ["_creator": .create])
    func mayCreate(_ user: String?) -> Bool {
      AccessPolicy(view: .public, user: user).allows(
        .create, createdBy: nil, type: "Note", schema: .notes(grants), as: .visitor)
    }
    #expect(mayCreate(Self.ann))
    #expect(!mayCreate(nil))
  }

  @Test func `a role that may write may also read`() {
    let grants = RecordGrants(roles: ["_icloud": .write])
    expect(
      [Row(caller: Self.bob, creator: Self.ann, read: true, create: false, write: true)],
      grants: grants)
  }

  @Test func `a caller has a zone role only in the database that the request addresses`() {
    let rows: [(view: DatabaseView, user: String?, database: DatabaseKey, role: ZoneRole?)] = [
      (.public, nil, .public, .visitor),
      (.public, Self.ann, .public, .visitor),
      (.public, Self.ann, .private(owner: Self.ann), nil),
      (.private(user: Self.ann), Self.ann, .private(owner: Self.ann), .owner),
      (.private(user: Self.ann), Self.ann, .private(owner: Self.bob), nil),
      (.private(user: Self.ann), Self.bob, .private(owner: Self.ann), nil),
      (.private(user: Self.ann), Self.ann, .public, nil),
      (.shared(user: Self.ann), Self.ann, .private(owner: Self.ann), nil),
      (.shared(user: Self.ann), Self.ann, .private(owner: Self.bob), nil),
      (.shared(user: Self.ann), Self.ann, .public, nil),
    ]
    for row in rows {
      #expect(AccessPolicy(view: row.view, user: row.user).role(in: row.database) == row.role)
    }
  }

  @Test func `the grants decide whether a caller may read all records, its own records, or none`() {
    let own = RecordGrants(roles: ["_icloud": .create, "_creator": .read])
    let rows: [(user: String?, grants: RecordGrants, readable: ReadableRecords)] = [
      (nil, .standard, .all), (Self.ann, .standard, .all),
      (nil, own, .none), (Self.ann, own, .createdBy(Self.ann)),
    ]
    for row in rows {
      let policy = AccessPolicy(view: .public, user: row.user)
      let readable = policy.readableRecords(
        ofType: "Note", schema: .notes(row.grants), as: .visitor)
      #expect(readable == row.readable)
    }
    let owner = AccessPolicy(view: .private(user: Self.ann), user: Self.ann)
    let closed = Schema.notes(RecordGrants())
    #expect(owner.readableRecords(ofType: "Note", schema: closed, as: .owner) == .all)
  }

  @Test
  func `a query finds only readable records, and is refused if the caller may read none`() throws {
    var query = CheckedQuery(
      recordType: "Note", filters: [], sorts: [], searchable: [], isAllSearchable: true)
    try query.restrict(to: .all)
    #expect(query.filters.isEmpty)
    try query.restrict(to: .createdBy(Self.ann))
    func matches(_ creator: String) -> Bool {
      let stamp = Stamp(timestamp: 1, userRecordName: creator, deviceID: "1")
      let record = StoredRecord(
        name: "n", type: "Note", change: 1, isDeleted: false, created: stamp, modified: stamp,
        parentRecordName: nil, fields: .empty)
      let values = RecordValues(record: record, fields: [:])
      return query.filters.allSatisfy { $0.holds(for: values, searchable: []) }
    }
    #expect(matches(Self.ann))
    #expect(!matches(Self.bob))
    let error = #expect(throws: ServerError.self) { try query.restrict(to: .none) }
    #expect(error?.code == .accessDenied)
  }
}

extension Schema {
  /// A schema with the record type Note. Some users have custom roles.
  static func notes(
    _ grants: RecordGrants, rolesOfUsers: [String: Set<String>] = [:]
  ) -> Schema {
    var schema = Schema(
      recordTypes: ["Note": RecordType(name: "Note", grants: grants)],
      customRoles: Set(grants.roles.keys.filter { !$0.hasPrefix("_") }))
    for (user, roles) in rolesOfUsers { schema.set(roles: roles, ofUser: user) }
    return schema
  }
}

/// The rights of participants in another user's zone.
@Suite struct `The rights of participants` {
  private static let bob = AccessPolicy(view: .shared(user: "_bob"), user: "_bob")
  private static let shares = [
    JoinedShare(rootName: "read", permission: .read, joined: 1, since: 0),
    JoinedShare(rootName: "write", permission: .readWrite, joined: 2, since: 0),
  ]

  private static func role(_ shares: [JoinedShare]) -> ZoneRole {
    .participant(Participation(number: 1, shares: shares))
  }

  /// The three truth values of a row stand for the permissions read, create and write.
  @Test func `a participant's rights depend on the hierarchy that contains the record`() {
    let zone = [JoinedShare(rootName: nil, permission: .read, joined: 3, since: 0)]
    let rows: [(shares: [JoinedShare], root: String?, allowed: [Bool])] = [
      (Self.shares, "read", [true, false, false]),
      (Self.shares, "write", [true, true, true]),
      (Self.shares, "other", [false, false, false]),
      (Self.shares, nil, [false, false, false]),
      (zone, nil, [true, false, false]),
      (zone, "other", [true, false, false]),
      (Self.shares + zone, "write", [true, true, true]),
      (Self.shares + zone, "other", [true, false, false]),
    ]
    for row in rows {
      let allowed = [RecordPermissions.read, .create, .write].map {
        Self.bob.allows(
          $0, createdBy: "_bob", type: "Note", schema: .notes(.standard),
          as: Self.role(row.shares), in: row.root)
      }
      #expect(allowed == row.allowed, "\(row)")
    }
  }

  /// The creator of a record has no rights to the record after it leaves the share.
  @Test
  func `a participant's rights do not depend on the creator or on the grants of the record type`() {
    let open = RecordGrants(roles: ["_world": .read, "_icloud": .write, "_creator": .write])
    #expect(
      !Self.bob.allows(
        .read, createdBy: "_bob", type: "Note", schema: .notes(open), as: Self.role(Self.shares)))
  }

  @Test
  func `a user has a participant's rights only in the shared database, after joining the zone`() {
    let participation = Participation(number: 1, shares: Self.shares)
    let rows: [(view: DatabaseView, user: String?, database: DatabaseKey, has: Bool)] = [
      (.shared(user: "_bob"), "_bob", .private(owner: "_ann"), true),
      (.shared(user: "_bob"), "_cid", .private(owner: "_ann"), false),
      (.shared(user: "_bob"), nil, .private(owner: "_ann"), false),
      (.shared(user: "_bob"), "_bob", .private(owner: "_bob"), false),
      (.shared(user: "_bob"), "_bob", .public, false),
      (.private(user: "_bob"), "_bob", .private(owner: "_ann"), false),
    ]
    for row in rows {
      let policy = AccessPolicy(view: row.view, user: row.user)
      let role = policy.role(in: row.database, participation: participation)
      #expect((role == .participant(participation)) == row.has, "\(row)")
      #expect(policy.role(in: row.database, participation: nil) != .participant(participation))
    }
  }

  @Test
  func `a participant's query finds the records of shared hierarchies or of shared zones`() {
    let names = Set(["read", "write"].map(ExactName.init))
    #expect(
      Self.bob.readableRecords(
        ofType: "Note", schema: .notes(.standard), as: Self.role(Self.shares))
        == .inHierarchies(names))
    let zone = [JoinedShare(rootName: nil, permission: .read, joined: 1, since: 0)]
    #expect(
      Self.bob.readableRecords(ofType: "Note", schema: .notes(.standard), as: Self.role(zone))
        == .all)
  }

  @Test func `root names are compared byte for byte`() {
    let composed = [JoinedShare(rootName: "\u{E9}", permission: .read, joined: 1, since: 0)]
    for (root, isAllowed) in [("\u{E9}", true), ("e\u{301}", false)] {
      #expect(
        Self.bob.allows(
          .read, createdBy: nil, type: "Note", schema: .notes(.standard),
          as: Self.role(composed), in: root) == isAllowed)
    }
  }
}
