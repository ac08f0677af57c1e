import StratusTesting

/// The marks that must exist at the end, and the first broken rule. A mark is a unique number that
/// an edit writes into a record.
///
/// A mark must not be lost after the server has accepted it. It also must not be lost while a
/// device has it on disk as a pending change and the account stays on the device. After a restore,
/// the first rule applies only to the marks in the backup, and the second rule still applies. Other
/// marks may be lost. The rules apply only to records that no device ever deletes
/// (``RecordKey/isKept``).
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Ledger: @unchecked Sendable {
  private struct Stored {
    var account: String?
    var marks: [RecordKey: Set<Int64>] = [:]
  }

  private var lastMark: Int64 = 0
  private var isSetBack = false
  /// The marks that were passed to `promise`, by account. After a restore, the marks in the backup.
  private var taken: [String: [RecordKey: Set<Int64>]] = [:]
  /// The marks on a device's disk that must not be lost, by device.
  private var stored: [String: Stored] = [:]
  /// The account in whose data each mark was written. A mark without an entry was written before a
  /// user signed in.
  private var owners: [Int64: String] = [:]
  /// The first broken rule.
  private(set) var violation: String?
  private(set) var trace: Trace
  /// The number of times that each situation occurred in this seed. The numbers show whether a run
  /// of many seeds tests every situation.
  private(set) var sightings: [String: Int] = [:]

  init(trace: Trace) { self.trace = trace }

  /// Returns a new mark.
  ///
  /// - Parameter account: the account of the data, or nil if the mark will belong to the first
  ///   account that signs in.
  func newMark(of account: String?) -> Int64 {
    lastMark += 1
    owners[lastMark] = account
    return lastMark
  }

  /// Remembers marks that must not be lost: the server has accepted them, or a device without a
  /// sync engine has written them to its disk.
  ///
  /// After a restore, nothing is recorded, because the answer may be older than the restore.
  func promise(_ marks: Set<Int64>, at key: RecordKey, of account: String) {
    if isSetBack { return }
    taken[account, default: [:]][key, default: []].formUnion(marks)
  }

  /// Remembers that the server was restored from a backup.
  ///
  /// - Parameter contents: the contents of the server after the restore, by account.
  func noteRestore(of contents: [String: Contents]) {
    saw("restore")
    isSetBack = true
    taken = contents.mapValues { $0.records }
  }

  /// Remembers the marks that a device has on its disk. If the device's account has changed, the
  /// marks of the earlier account may be gone. Marks from before the first sign-in now belong to
  /// the account.
  func noteStored(_ data: AppData, on device: String) {
    var known = stored[device] ?? Stored(account: data.account.name)
    if let account = known.account, account != data.account.name { known = Stored() }
    known.account = data.account.name
    if let account = data.account.name {
      for mark in data.records.values.flatMap(\.marks) where owners[mark] == nil {
        owners[mark] = account
      }
    }
    for (key, record) in data.records where key.isKept {
      known.marks[key, default: []].formUnion(record.marks)
    }
    stored[device] = known
  }

  /// Remembers that a rule is broken.
  func violated(_ what: @autoclosure () -> String) {
    if violation != nil { return }
    let text = what()
    violation = text
    trace.say("VIOLATION: \(text)")
  }

  func saw(_ what: String) { sightings[what, default: 0] += 1 }

  func say(_ line: @autoclosure () -> String) { trace.say(line()) }

  /// Returns the first fault in the server's contents of an account at the end of the simulation: a
  /// missing mark that must not be lost, or a mark of another account.
  func fault(in contents: Contents, of account: String) -> String? {
    for (key, marks) in contents.records.sorted(by: { $0.key < $1.key }) {
      if let mark = marks.sorted().first(where: { owners[$0] != account }) {
        return "\(key) of \(account) has \(mark) of \(owners[mark] ?? "no account")"
      }
    }
    var promised = taken[account] ?? [:]
    for device in stored.values where device.account == account {
      promised.merge(device.marks) { $0.union($1) }
    }
    for (key, marks) in promised.sorted(by: { $0.key < $1.key }) where key.isKept {
      let missing = marks.subtracting(contents.records[key] ?? [])
      if !missing.isEmpty { return "\(key) lost the marks \(missing.sorted())" }
    }
    return nil
  }
}
