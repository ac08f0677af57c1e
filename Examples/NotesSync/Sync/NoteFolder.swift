public import CloudKit

/// The folder with the notes. Each note is a text file with the name NAME.txt.
public struct NoteFolder: Sendable {
  /// The contents of the folder.
  struct Contents: Sendable, Equatable {
    /// The texts of the notes, by name.
    var notes: [String: String] = [:]
    /// The names, without the extension, of the files that cannot be notes.
    var misfits: Set<String> = []
  }

  /// The error for a text that cannot be the name of a note.
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

  /// - Throws: an error if the folder cannot be created.
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

  /// Reads the text of a note.
  ///
  /// - Returns: the text, or nil if there is no such file.
  /// - Throws: an error if the file cannot be read, or is not text.
  func text(of name: String) throws -> String? {
    guard files.fileExists(atPath: file(name).path) else { return nil }
    let data = try Data(contentsOf: file(name))
    // NB: a lenient decoder would repair the text, and the app would send the repaired text as an
    // edit of the user.
    guard let text = String(data: data, encoding: .utf8) else {
      throw CocoaError(.fileReadInapplicableStringEncoding)
    }
    return text
  }

  /// Reads the text of a note. If the file cannot be read or is not text, it gets another
  /// extension, and the result is nil.
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

  /// Moves a note into the folder of deleted notes, because another device has deleted it.
  func throwAway(_ name: String) throws {
    let folder = item(Self.deletedName)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try replace(folder.appendingPathComponent(name + Self.ending), with: file(name))
  }

  /// Deletes the notes, and the folder of deleted notes.
  func removeAll() throws {
    for name in try contents().notes.keys { try remove(name) }
    try? files.removeItem(at: item(Self.deletedName))
  }

  private func replace(_ new: URL, with old: URL) throws {
    try? files.removeItem(at: new)
    try files.moveItem(at: old, to: new)
  }

  // The state file

  /// Reads the stored state.
  ///
  /// - Returns: the state, or nil if there is none or it is damaged. If the result is nil, the
  ///   device syncs from the beginning. It loses nothing, because it merges its notes with the
  ///   server's notes.
  func state() -> BackupState? {
    (try? Data(contentsOf: item(Self.stateName))).flatMap {
      try? JSONDecoder().decode(BackupState.self, from: $0)
    }
  }

  func keep(_ state: BackupState) throws {
    try JSONEncoder().encode(state).write(to: item(Self.stateName), options: .atomic)
  }
}

/// Moves notes when another user signs in.
extension NoteFolder {
  private func account(_ user: String) -> URL {
    let name = user.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "unknown"
    return item(Self.accountsName).appendingPathComponent(name, isDirectory: true)
  }

  /// Moves a user's notes aside, because another user has signed in.
  ///
  /// The notes are kept until the user signs in again, because some of them may not have been sent.
  /// The state file is changed first and moved last. Otherwise a crash in between could make the
  /// app treat moved notes as deleted notes.
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

  /// Moves a user's notes back into the folder. The state file is moved first.
  ///
  /// - Returns: the state, or nil if no notes of this user were moved aside.
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
