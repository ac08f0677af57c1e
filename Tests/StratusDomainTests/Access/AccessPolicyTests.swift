import StratusWire
import Testing

@testable import StratusDomain

/// The permissions of each caller for records of each kind (schema-language §5).
@Suite struct AccessPolicies {
  private static let ann = "_ann"
  private static let bob = "_bob"

  /// The caller of a row, and the creator of the record.
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
        policy.allows($0, createdBy: row.creator, grants: grants, as: .visitor)
      }
      #expect(
        allowed == [row.read, row.create, row.write], "\(row)", sourceLocation: sourceLocation)
    }
  }

  @Test func `by default, all callers read, users create, and only the creator writes`() {
    expect(
      [
        Row(caller: nil, creator: Self.ann, read: true, create: false, write: false),
        Row(caller: Self.bob, creator: Self.ann, read: true, create: true, write: false),
        Row(caller: Self.ann, creator: Self.ann, read: true, create: true, write: true),
      ], grants: .standard)
  }

  @Test func `a type without any grant is closed to all callers`() {
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

  @Test func `the creator role may create a record that does not exist yet`() {
    let grants = RecordGrants(roles: ["_creator": .create])
    let users = AccessPolicy(view: .public, user: Self.ann)
    #expect(users.allows(.create, createdBy: nil, grants: grants, as: .visitor))
    let anonymous = AccessPolicy(view: .public, user: nil)
    #expect(!anonymous.allows(.create, createdBy: nil, grants: grants, as: .visitor))
  }

  @Test func `a role that may write may also read`() {
    let grants = RecordGrants(roles: ["_icloud": .write])
    expect(
      [Row(caller: Self.bob, creator: Self.ann, read: true, create: false, write: true)],
      grants: grants)
  }

  @Test func `a caller has a role only in databases of the opened view`() {
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

  @Test func `a caller may read all records, its own records, or none`() {
    let own = RecordGrants(roles: ["_icloud": .create, "_creator": .read])
    let rows: [(user: String?, grants: RecordGrants, readable: ReadableRecords)] = [
      (nil, .standard, .all), (Self.ann, .standard, .all),
      (nil, own, .none), (Self.ann, own, .createdBy(Self.ann)),
    ]
    for row in rows {
      let policy = AccessPolicy(view: .public, user: row.user)
      #expect(policy.readableRecords(grants: row.grants, as: .visitor) == row.readable)
    }
    let owner = AccessPolicy(view: .private(user: Self.ann), user: Self.ann)
    let closed = RecordGrants()
    #expect(owner.readableRecords(grants: closed, as: .owner) == .all)
  }

  @Test func `a query is restricted to the caller's own records, or refused`() throws {
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
