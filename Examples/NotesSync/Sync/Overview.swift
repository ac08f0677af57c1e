public import CloudKit

/// What a person is shown.
public struct Overview: Sendable, Equatable {
  /// How far a note has come.
  public enum Place: Sendable, Equatable {
    case backedUp
    case unsent
    /// Why the server will not take it.
    case refused(String)
  }

  public struct Line: Sendable, Equatable {
    public let name: String
    public let text: String
    public let place: Place
  }

  public enum Activity: Sendable, Equatable { case off, deleting, working, resting }

  /// By name.
  public var notes: [Line]
  /// Files that cannot be backed up: no text, or with a name that is none.
  public var misfits: [String]
  public var activity: Activity
  /// What went wrong, or why the backup is off.
  public var message: String?
  /// What has happened that the user should know.
  public var notice: String?
  /// Whether changes of other devices are told by pushes.
  public var hearsPushes: Bool
  /// When everything was last in step; nil: not since the start.
  public var lastLook: Date?

  /// Whether the server has every note as it is here.
  public var isBackedUp: Bool {
    activity != .off && message == nil && notes.allSatisfy { $0.place == .backedUp }
  }

  /// The state of the backup in a line.
  public var summary: String {
    let unsent = notes.count { $0.place != .backedUp }
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
  /// How things are.
  public var overview: Overview { makeOverview() }

  func makeOverview() -> Overview {
    let contents = (try? folder.contents()) ?? NoteFolder.Contents()
    let unsent = unsent(contents)
    let reasons = Dictionary(
      unsent.map { ($0.name, refused[$0]) }, uniquingKeysWith: { first, _ in first })
    let lines = contents.notes.sorted { $0.key < $1.key }.map { name, text in
      let place: Overview.Place =
        switch reasons[name] {
        case nil: .backedUp
        case .some(nil): .unsent
        case .some(let reason?): .refused(reason)
        }
      return Overview.Line(name: name, text: text, place: place)
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
