import StratusTesting

/// The promised marks, which must still exist in the end, and the first broken rule.
///
/// A mark is promised once a device has it on its disk as a pending change, for as long as the
/// account stays on the device. It is also promised once the server has accepted it. After a
/// restore, the marks in the backup are promised instead. Other marks may be gone unless a device
/// had them on its disk.
///
/// NB: unchecked; the loop has one thread.
final class Ledger: @unchecked Sendable {
  private struct Stored {
    var account: String?
    var marks: [RecordKey: Set<Int64>] = [:]
  }

  private var lastMark: Int64 = 0
  private var isSetBack = false
  /// The marks that the server has promised, by account.
  private var taken: [String: [RecordKey: Set<Int64>]] = [:]
  /// The marks that are promised on a device's disk, by device.
  private var stored: [String: Stored] = [:]
  /// The account in whose data each mark was written; no entry: no user was signed in yet.
  private var owners: [Int64: String] = [:]
  /// The first broken rule.
  private(set) var violation: String?
  private(set) var trace: Trace
  /// Counts of the situations in the seed, to show that a run of many seeds tests something.
  private(set) var sightings: [String: Int] = [:]

  init(trace: Trace) { self.trace = trace }

  /// A new mark.
  ///
  /// - Parameter account: nil: the mark belongs to the first account that signs in.
  func newMark(of account: String?) -> Int64 {
    lastMark += 1
    owners[lastMark] = account
    return lastMark
  }

  /// Notes that the server has accepted marks.
  ///
  /// After a restore nothing is noted: the answer may be from before.
  func promise(_ marks: Set<Int64>, at key: RecordKey, of account: String) {
    if isSetBack { return }
    taken[account, default: [:]][key, default: []].formUnion(marks)
  }

  /// Notes that the server was restored from a backup.
  ///
  /// - Parameter contents: the contents of the server now, by account.
  func noteRestore(of contents: [String: Contents]) {
    saw("restore")
    isSetBack = true
    taken = contents.mapValues { $0.records }
  }

  /// Notes the marks that a device has on its disk. Marks of another account may disappear with
  /// that account. Marks from before the first sign-in now belong to the account.
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

  /// Notes that a rule is broken.
  func violated(_ what: @autoclosure () -> String) {
    if violation != nil { return }
    let text = what()
    violation = text
    trace.say("VIOLATION: \(text)")
  }

  func saw(_ what: String) { sightings[what, default: 0] += 1 }

  func say(_ line: @autoclosure () -> String) { trace.say(line()) }

  /// The first fault in the server's contents of an account in the end: a promised mark is missing,
  /// or a mark of another account is there.
  func fault(in contents: Contents, of account: String) -> String? {
    for (key, marks) in contents.records.sorted(by: { $0.key < $1.key }) {
      if let mark = marks.sorted().first(where: { owners[$0] != account }) {
        return "\(key) of \(account) has \(mark) of \(owners[mark] ?? "nobody")"
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
