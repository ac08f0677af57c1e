import StratusDomain
import StratusWire

/// Knows which records each guest may see and change, after every write of the server. The rules
/// follow CloudKit's documentation, and use none of the server's own code for sharing.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingTruth: @unchecked Sendable {
  static let owner = Cloud.user
  static let guests = [Cloud.otherUser, "_00000000000000000000000000000c1d"]
  static let zone = "Trips"
  /// The beginning of the text in every record. The record's name and a number follow it.
  static let canary = "canary-"

  /// A state of the zone.
  struct Version: Equatable {
    /// The names of the records that each guest may see.
    var visible: [String: Set<String>] = [:]
    /// The participants of each share, by its root. The share of the whole zone has the root "".
    var members: [String: Set<String>] = [:]
    /// For each record in a shared hierarchy, the root of this hierarchy, by record name.
    var roots: [String: String] = [:]
  }

  /// The states of the zone. An entry is added before each commit that changes the state.
  private var versions = [Version()]
  /// The sealed values, or nil if there are none.
  var seals: SharingSeals?
  /// The zone and the number of its newest change after the last examined write; nil after a
  /// restore.
  private var described: Position?
  /// The first violation, in words: a guest received the contents of a hidden record, or made a
  /// change without permission.
  private(set) var violation: String?

  /// The number of the newest version.
  var version: Int { versions.count - 1 }

  private enum Position: Equatable {
    case noZone
    case change(zone: Int64, number: Int64)

    func isIn(_ zone: Int64) -> Bool {
      guard case .change(zone, _) = self else { return false }
      return true
    }
  }

  /// The state of the zone, and the names of the records that each guest may change.
  private struct Rights {
    var version = Version()
    var writable: [String: Set<String>] = [:]
  }

  /// Remembers which records each guest may see after a write, and checks that guests have changed
  /// only records that they may change. Most writes of the background work change no record, so
  /// this function first compares the number of the zone's newest change.
  func noteWrite(in store: any StoreReading) throws(ServerError) {
    var position = Position.noZone
    if let zone = try store.zone(named: Self.zone, in: .private(owner: Self.owner)) {
      position = .change(zone: zone.id, number: zone.change)
    }
    if position == described { return }
    let records = try Self.records(in: store)
    let rights = Self.rights(to: records)
    if case .change(let zone, let earlier)? = described, position.isIn(zone) {
      for record in records where record.change > earlier { check(record, against: rights) }
    }
    note(rights.version)
    described = position
    guard let seals else { return }
    for record in records {
      let value = try? record.fields.values(of: [SharingSeals.field])[SharingSeals.field]
      seals.note(value, of: record.name, version: version)
    }
  }

  /// Whether a guest may open a value of a record that was sealed in one of the versions of
  /// `range`. In one of these versions or later, the guest must have been a member of the whole
  /// zone's share, or of the hierarchy in which the value was sealed.
  func wasMember(_ guest: String, of record: String, sealedIn range: ClosedRange<Int>) -> Bool {
    // NB: as in ``check(_:for:since:)``, a few earlier versions also count.
    let roots = Set(
      versions[max(0, range.lowerBound - 3)...range.upperBound].compactMap {
        $0.roots[record]
      }
    ).union([""])
    return versions[range.lowerBound...].contains { version in
      roots.contains { version.members[$0]?.contains(guest) == true }
    }
  }

  /// Checks that a record was not changed by a guest without permission.
  private func check(_ record: StoredRecord, against rights: Rights) {
    let user = record.modified.userRecordName
    // A guest changes the share's own record by accepting or leaving the share.
    guard violation == nil, record.type != ShareRecord.recordType, Self.guests.contains(user),
      rights.writable[user]?.contains(record.name) != true
    else { return }
    violation = "\(user) may not change \(record.name)"
  }

  /// Remembers which records each guest may see after a restore.
  func noteRestore(_ version: Version) {
    described = nil
    note(version)
  }

  private func note(_ version: Version) {
    if version != versions.last { versions.append(version) }
  }

  /// Checks the bytes that a guest receives.
  ///
  /// - Parameter version: the number of the newest version when the request arrived. NB: a few
  ///   earlier versions also count, because a version is added before its commit, and some writes
  ///   commit together.
  func check(_ body: [UInt8], for guest: String, since version: Int) {
    if violation != nil { return }
    let allowed = versions[max(0, version - 3)...].reduce(into: Set<String>()) {
      $0.formUnion($1.visible[guest] ?? [])
    }
    for name in Self.namesInCanaries(of: body) where !allowed.contains(name) {
      violation = "\(guest) received the contents of \(name)"
    }
  }

  /// Returns the names of the records whose texts are part of an answer.
  private static func namesInCanaries(of body: [UInt8]) -> [String] {
    let mark = Array(canary.utf8)
    var names: [String] = []
    var rest = body[...]
    while let start = rest.firstIndex(of: mark[0]) {
      rest = rest[start...]
      guard rest.starts(with: mark) else {
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(mark.count)
      names.append(String(decoding: rest.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self))
    }
    return names
  }

  /// Reads the state of the zone.
  static func version(in store: any StoreReading) throws(ServerError) -> Version {
    rights(to: try records(in: store)).version
  }

  private static func rights(to records: [StoredRecord]) -> Rights {
    var shares: [(root: String?, members: Set<String>, writers: Set<String>)] = []
    for record in records where record.type == ShareRecord.recordType {
      guard let state = state(of: record) else { continue }
      let members = members(of: state)
      shares.append((state.rootRecordName, members, writers(among: members, of: state)))
    }
    let parents = Dictionary(records.map { ($0.name, $0.parentRecordName) }) { $1 }
    let roots = Set(shares.compactMap(\.root))
    var rights = Rights()
    for share in shares {
      rights.version.members[share.root ?? "", default: []].formUnion(share.members)
    }
    for record in records {
      let root = nearest(to: record.name, among: roots, parents)
      rights.version.roots[record.name] = root
      for share in shares where share.root == nil || share.root == root && root != nil {
        for guest in share.members {
          rights.version.visible[guest, default: []].insert(record.name)
        }
        for guest in share.writers { rights.writable[guest, default: []].insert(record.name) }
      }
    }
    return rights
  }

  /// Returns the texts of the records that a guest may see now, by name.
  static func contents(
    of guest: String, in store: any StoreReading
  ) throws(ServerError) -> [String: String] {
    let names = try version(in: store).visible[guest] ?? []
    var contents: [String: String] = [:]
    for record in try records(in: store) where names.contains(record.name) {
      contents[record.name] = text(of: record.fields)
    }
    return contents
  }

  /// Returns the text of a record. Only users who may read the record may receive it.
  static func text(of fields: FieldsJSON) -> String {
    guard case .string(let text)? = try? fields.values(of: ["secret"])["secret"] else { return "" }
    return text
  }

  private static func records(in store: any StoreReading) throws(ServerError) -> [StoredRecord] {
    guard let zone = try store.zone(named: zone, in: .private(owner: owner)) else { return [] }
    return try store.recordChanges(
      in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false, limit: 100_000,
      sizeBytesMax: .max
    ).filter { !$0.isDeleted }
  }

  private static func state(of record: StoredRecord) -> ShareState? {
    guard case .string(let text)? = try? record.fields.values(of: ["___share"])["___share"] else {
      return nil
    }
    return try? ShareState(jsonBytes: Array(text.utf8))
  }

  private static func members(of state: ShareState) -> Set<String> {
    let blocked = Set(state.blocked.compactMap(\.identity.userRecordName))
    return Set(
      state.participants.compactMap { participant in
        // A user who has joined a public share by its URL loses access when the share becomes
        // private.
        let mayRead =
          state.publicPermission != .none
          || participant.permission != .none && participant.role != .publicUser
        return participant.status == .accepted && mayRead
          ? participant.identity.userRecordName : nil
      }
    ).subtracting(blocked)
  }

  private static func writers(among members: Set<String>, of state: ShareState) -> Set<String> {
    if state.publicPermission == .readWrite { return members }
    return Set(
      state.participants.filter { $0.permission == .readWrite && $0.role != .publicUser }
        .compactMap(\.identity.userRecordName)
    ).intersection(members)
  }

  private static func nearest(
    to name: String, among roots: Set<String>, _ parents: [String: String?]
  ) -> String? {
    var seen: Set<String> = []
    var current: String? = name
    while let next = current, parents[next] != nil, seen.insert(next).inserted {
      if roots.contains(next) { return next }
      current = parents[next] ?? nil
    }
    return nil
  }
}
