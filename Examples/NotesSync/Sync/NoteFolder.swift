public import CloudKit

/// The folder with the notes: one text file each, NAME.txt.
public struct NoteFolder: Sendable {
  /// The contents of the folder.
  struct Contents: Sendable, Equatable {
    /// The texts, by the notes' names.
    var notes: [String: String] = [:]
    /// Files that exist but cannot be notes, without their extension.
    var misfits: Set<String> = []
  }

  /// The fault of a name.
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

  /// - Throws: if the folder cannot be created.
  public init(_ url: URL) throws {
    self.url = url
    try files.createDirectory(at: url, withIntermediateDirectories: true)
  }

  var files: FileManager { .default }

  func item(_ name: String) -> URL { url.appendingPathComponent(name) }

  private func file(_ name: String) -> URL { item(name + Self.ending) }

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
  /// - Throws: if the file exists but cannot be read, or is not text.
  func text(of name: String) throws -> String? {
    guard files.fileExists(atPath: file(name).path) else { return nil }
    let data = try Data(contentsOf: file(name))
    // NB: a lenient decoder would repair the text, and the app would send the repair as a user's
    // edit.
    guard let text = String(data: data, encoding: .utf8) else {
      throw CocoaError(.fileReadInapplicableStringEncoding)
    }
    return text
  }

  /// As ``text(of:)``. A file that cannot be read gets another extension, and the result is nil.
  func textOrSetAside(_ name: String) throws -> String? {
    do {
      return try text(of: name)
    } catch {
      try replace(item(name + ".unreadable"), with: file(name))
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

  /// Moves a note aside that another device has deleted.
  func throwAway(_ name: String) throws {
    let folder = item(Self.deletedName)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try replace(folder.appendingPathComponent(name + Self.ending), with: file(name))
  }

  /// Deletes the notes, and the deleted notes that were kept.
  func removeAll() throws {
    for name in try contents().notes.keys { try remove(name) }
    try? files.removeItem(at: item(Self.deletedName))
  }

  private func replace(_ new: URL, with old: URL) throws {
    try? files.removeItem(at: new)
    try files.moveItem(at: old, to: new)
  }

  // The state file

  /// - Returns: nil: there is no state, or it is damaged. The device then starts again without a
  ///   loss: it merges its notes with those of the server.
  func state() -> BackupState? {
    (try? Data(contentsOf: item(Self.stateName))).flatMap {
      try? JSONDecoder().decode(BackupState.self, from: $0)
    }
  }

  func keep(_ state: BackupState) throws {
    try JSONEncoder().encode(state).write(to: item(Self.stateName), options: .atomic)
  }
}

/// The owner of the notes in the folder.
extension NoteFolder {
  private func account(_ user: String) -> URL {
    let name = user.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "unknown"
    return item(Self.accountsName).appendingPathComponent(name, isDirectory: true)
  }

  /// Moves a user's notes aside, because another user signs in to the app.
  ///
  /// The unsent notes wait there for their user. The state is marked first and moved last, so that
  /// moved notes are never mistaken for deleted ones.
  func putAside(_ state: BackupState, of user: String) throws {
    var state = state
    state.isAside = true
    try keep(state)
    let folder = account(user)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = try files.contentsOfDirectory(atPath: url.path)
    for name in names where name != Self.accountsName && name != Self.stateName {
      try replace(folder.appendingPathComponent(name), with: item(name))
    }
    try replace(folder.appendingPathComponent(Self.stateName), with: item(Self.stateName))
  }

  /// Brings a user's notes back; the state comes first.
  ///
  /// - Returns: nil: no notes of this user were moved aside.
  func takeBack(of user: String) throws -> BackupState? {
    let folder = account(user)
    let aside = folder.appendingPathComponent(Self.stateName)
    if files.fileExists(atPath: aside.path) { try replace(item(Self.stateName), with: aside) }
    guard var state = state(), state.user == user else { return nil }
    for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? [] {
      try replace(item(name), with: folder.appendingPathComponent(name))
    }
    try? files.removeItem(at: folder)
    state.isAside = false
    try keep(state)
    return state
  }
}
