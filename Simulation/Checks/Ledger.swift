import StratusTesting

/// What was promised: the marks that must still be there in the end, and what went wrong.
///
/// A mark is promised once a device has it on its disk with the intent to send it, for as long as
/// the account stays on the device; or once the server has taken it. When the server is set back to
/// a backup, what the backup has is promised instead: the rest may be gone, if nobody had it on a
/// disk.
///
/// NB: unchecked; the loop has one thread.
final class Ledger: @unchecked Sendable {
  private struct Stored {
    var account: String?
    var marks: [Place: Set<Int64>] = [:]
  }

  private var lastMark: Int64 = 0
  private var isSetBack = false
  /// What the server has promised, by account.
  private var taken: [String: [Place: Set<Int64>]] = [:]
  /// By device.
  private var stored: [String: Stored] = [:]
  /// In whose data each mark was written; not there: nobody was signed in yet.
  private var owners: [Int64: String] = [:]
  /// The first thing that broke a rule.
  private(set) var violation: String?
  private(set) var trace: Trace
  /// What the seed came across, to see that a run of many tests something.
  private(set) var sightings: [String: Int] = [:]

  init(trace: Trace) { self.trace = trace }

  /// A mark nobody wrote before.
  ///
  /// - Parameter account: nil: it is the first's to be signed in.
  func newMark(of account: String?) -> Int64 {
    lastMark += 1
    owners[lastMark] = account
    return lastMark
  }

  /// Notes that the server has taken marks.
  ///
  /// After a restore nothing is noted: the answer may be of before.
  func promise(_ marks: Set<Int64>, at place: Place, of account: String) {
    if isSetBack { return }
    taken[account, default: [:]][place, default: []].formUnion(marks)
  }

  /// Notes that the server was set back to a backup.
  ///
  /// - Parameter contents: what it has now, by account.
  func noteRestore(of contents: [String: Contents]) {
    saw("restore")
    isSetBack = true
    taken = contents.mapValues { $0.records }
  }

  /// Notes what a device has on its disk. What it had of another account may go with that; what was
  /// written before anybody was signed in is now the account's.
  func noteStored(_ data: AppData, on device: String) {
    var known = stored[device] ?? Stored(account: data.account.name)
    if let account = known.account, account != data.account.name { known = Stored() }
    known.account = data.account.name
    if let account = data.account.name {
      for mark in data.records.values.flatMap(\.marks) where owners[mark] == nil {
        owners[mark] = account
      }
    }
    for (place, record) in data.records where place.isKept {
      known.marks[place, default: []].formUnion(record.marks)
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

  /// What is wrong with what the server has of an account in the end: something promised is not
  /// there, or something of another account is.
  func fault(in contents: Contents, of account: String) -> String? {
    for (place, marks) in contents.records.sorted(by: { $0.key < $1.key }) {
      if let mark = marks.sorted().first(where: { owners[$0] != account }) {
        return "\(place) of \(account) has \(mark) of \(owners[mark] ?? "nobody")"
      }
    }
    var promised = taken[account] ?? [:]
    for device in stored.values where device.account == account {
      promised.merge(device.marks) { $0.union($1) }
    }
    for (place, marks) in promised.sorted(by: { $0.key < $1.key }) where place.isKept {
      let missing = marks.subtracting(contents.records[place] ?? [])
      if !missing.isEmpty { return "\(place) lost the marks \(missing.sorted())" }
    }
    return nil
  }
}
