public import CloudKit

/// The state of the app as the user sees it.
public struct Overview: Sendable, Equatable {
  /// The state of a note's backup.
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

  /// The notes in order of their names.
  public var notes: [Line]
  /// The files that cannot be backed up, because they are not text or their names cannot be note
  /// names.
  public var misfits: [String]
  public var activity: Activity
  /// The last error, or the reason why the backup is off.
  public var message: String?
  /// A notice for the user that is not an error, such as that two texts were merged.
  public var notice: String?
  /// Whether the app gets silent pushes about the changes of other devices.
  public var hearsPushes: Bool
  /// The time of the last successful sync, or nil if there was none since the start.
  public var lastLook: Date?

  /// Whether the server has the current version of every note.
  public var isBackedUp: Bool {
    activity != .off && message == nil && notes.allSatisfy { $0.status == .backedUp }
  }

  /// The state of the backup as one line.
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
  /// The overview of the current state.
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
