public import CloudKit

/// The state of the app as the user sees it.
public struct Overview: Sendable, Equatable {
  /// The progress of a note's backup.
  public enum Status: Sendable, Equatable {
    case backedUp
    case unsent
    /// The server refuses the note for this reason.
    case refused(String)
  }

  public struct Line: Sendable, Equatable {
    public let name: String
    public let text: String
    public let status: Status
  }

  public enum Activity: Sendable, Equatable { case off, deleting, working, resting }

  /// The notes, by name.
  public var notes: [Line]
  /// Files that cannot be backed up: they are not text, or their name cannot be a note's name.
  public var misfits: [String]
  public var activity: Activity
  /// The last error, or the reason why the backup is off.
  public var message: String?
  /// News for the user.
  public var notice: String?
  /// Whether silent pushes report changes of other devices.
  public var hearsPushes: Bool
  /// The time when everything was last in sync; nil: never since the start.
  public var lastLook: Date?

  /// Whether the server has every note in its present form.
  public var isBackedUp: Bool {
    activity != .off && message == nil && notes.allSatisfy { $0.status == .backedUp }
  }

  /// The state of the backup in one line.
  public var summary: String {
    let unsent = notes.count { $0.status != .backedUp }
    let waiting = "\(unsent) \(unsent == 1 ? "note waits" : "notes wait")"
    return switch activity {
    case .off: "backup is off"
    case .deleting: "everything will be deleted"
    case .working: "looking"
    case .resting: unsent == 0 ? "all backed up" : waiting
    }
  }
}

extension Backup {
  /// The overview of the present state.
  public var overview: Overview { makeOverview() }

  func makeOverview() -> Overview {
    let contents = (try? folder.contents()) ?? NoteFolder.Contents()
    let unsent = unsent(contents)
    let reasons = Dictionary(
      unsent.map { ($0.name, refused[$0]) }, uniquingKeysWith: { first, _ in first })
    let lines = contents.notes.sorted { $0.key < $1.key }.map { name, text in
      let status: Overview.Status =
        switch reasons[name] {
        case nil: .backedUp
        case .some(nil): .unsent
        case .some(let reason?): .refused(reason)
        }
      return Overview.Line(name: name, text: text, status: status)
    }
    return Overview(
      notes: lines, misfits: contents.misfits.sorted(), activity: activity,
      message: state.isOn ? message : state.reasonForOff, notice: notice,
      hearsPushes: settings.hearsPushes && state.isSubscribed, lastLook: lastLook)
  }

  private var activity: Overview.Activity {
    if state.isDeleting { return .deleting }
    if !state.isOn { return .off }
    return isWorking ? .working : .resting
  }
}
