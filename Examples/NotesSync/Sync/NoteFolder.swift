public import CloudKit

/// The folder with the notes: one text file each, NAME.txt.
public struct NoteFolder: Sendable {
  /// What lies in it.
  struct Contents: Sendable, Equatable {
    /// Texts, by the notes' names.
    var notes: [String: String] = [:]
    /// Files that are there but cannot be notes, without their ending.
    var misfits: Set<String> = []
  }

  /// What is wrong with a name.
  public struct BadName: Error, CustomStringConvertible {
    let name: String

    public var description: String {
      "'\(name)' cannot be a note's name: no '/', no '.' or '_' at its beginning, 240 bytes."
    }
  }

  static let ending = ".txt"
  static let stateName = ".notes-sync.json"
  static let deletedName = "Deleted"
  static let accountsName = "Accounts"

  public let url: URL

  /// - Throws: if the folder cannot be made.
  public init(_ url: URL) throws {
    self.url = url
    try files.createDirectory(at: url, withIntermediateDirectories: true)
  }

  var files: FileManager { .default }

  func place(_ name: String) -> URL { url.appendingPathComponent(name) }

  private func file(_ name: String) -> URL { place(name + Self.ending) }

  func contents() throws -> Contents {
    var contents = Contents()
    for fileName in try files.contentsOfDirectory(atPath: url.path) {
      guard fileName.hasSuffix(Self.ending), !fileName.hasPrefix(".") else { continue }
      let name = String(fileName.dropLast(Self.ending.count))
      if Note.isName(name), let text = try? text(of: name) {
        contents.notes[name] = text
      } else {
        contents.misfits.insert(name)
      }
    }
    return contents
  }

  /// - Returns: nil: there is no such file.
  /// - Throws: if it is there but cannot be read, or is no text.
  func text(of name: String) throws -> String? {
    guard files.fileExists(atPath: file(name).path) else { return nil }
    let data = try Data(contentsOf: file(name))
    // NB: not read with repairs, which would be sent as if somebody had made them.
    guard let text = String(data: data, encoding: .utf8) else {
      throw CocoaError(.fileReadInapplicableStringEncoding)
    }
    return text
  }

  /// As ``text(of:)``; a file that cannot be read gets another ending, and there is no text.
  func textOrSetAside(_ name: String) throws -> String? {
    do {
      return try text(of: name)
    } catch {
      try replace(place(name + ".unreadable"), with: file(name))
      return nil
    }
  }

  func write(_ text: String, as name: String) throws {
    guard Note.isName(name) else { throw BadName(name: name) }
    try Data(text.utf8).write(to: file(name), options: .atomic)
  }

  func remove(_ name: String) throws {
    guard Note.isName(name) else { throw BadName(name: name) }
    try files.removeItem(at: file(name))
  }

  /// Takes a note away that another device has deleted.
  func throwAway(_ name: String) throws {
    let folder = place(Self.deletedName)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try replace(folder.appendingPathComponent(name + Self.ending), with: file(name))
  }

  /// Deletes the notes, and those thrown away.
  func removeAll() throws {
    for name in try contents().notes.keys { try remove(name) }
    try? files.removeItem(at: place(Self.deletedName))
  }

  private func replace(_ new: URL, with old: URL) throws {
    try? files.removeItem(at: new)
    try files.moveItem(at: old, to: new)
  }

  // The state file

  /// - Returns: nil: there is none, or it is damaged. Then the device begins anew, which loses
  ///   nothing: what it has and what the server has is merged.
  func state() -> BackupState? {
    (try? Data(contentsOf: place(Self.stateName))).flatMap {
      try? JSONDecoder().decode(BackupState.self, from: $0)
    }
  }

  func keep(_ state: BackupState) throws {
    try JSONEncoder().encode(state).write(to: place(Self.stateName), options: .atomic)
  }
}

/// Whose notes the folder has.
extension NoteFolder {
  private func account(_ user: String) -> URL {
    let name = user.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "unknown"
    return place(Self.accountsName).appendingPathComponent(name, isDirectory: true)
  }

  /// Puts a user's notes aside, because somebody else uses the app now.
  ///
  /// What is unsent waits there for its user. The state says first that the notes are on their way,
  /// and goes last, so that notes on their way are never taken for deleted ones.
  func putAside(_ state: BackupState, of user: String) throws {
    var state = state
    state.isAside = true
    try keep(state)
    let folder = account(user)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = try files.contentsOfDirectory(atPath: url.path)
    for name in names where name != Self.accountsName && name != Self.stateName {
      try replace(folder.appendingPathComponent(name), with: place(name))
    }
    try replace(folder.appendingPathComponent(Self.stateName), with: place(Self.stateName))
  }

  /// Brings a user's notes back; the state comes first.
  ///
  /// - Returns: nil: none of this user's lie aside.
  func takeBack(of user: String) throws -> BackupState? {
    let folder = account(user)
    let aside = folder.appendingPathComponent(Self.stateName)
    if files.fileExists(atPath: aside.path) { try replace(place(Self.stateName), with: aside) }
    guard var state = state(), state.user == user else { return nil }
    for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? [] {
      try replace(place(name), with: folder.appendingPathComponent(name))
    }
    try? files.removeItem(at: folder)
    state.isAside = false
    try keep(state)
    return state
  }
}
