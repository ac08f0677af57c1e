import Foundation

/// A line that the user has entered: a message, or a command that begins with a slash.
enum Command: Equatable {
  case say(String)
  case attach(URL)
  case save(Int, as: URL?)
  case who
  case channels
  case create(String)
  case join(String)
  case rooms
  case room(String)
  case invite(String)
  case open(String)
  case leave
  case help
  case quit

  static let list = """
    /attach FILE      send a file
    /save N [FILE]    save the file with the number N
    /who              list the members of this channel
    /channels         list all channels
    /join CHANNEL     enter another channel
    /create CHANNEL   create a channel and enter it
    /rooms            list your private rooms; '/join &ROOM' enters one
    /room ROOM        create a private room and enter it
    /invite ADDRESS   invite a person to this room, and show the URL to send
    /open URL         join a private room
    /leave            leave this channel
    /quit             end the program
    Any other line is sent as a message. '//' begins a message that starts with a slash.
    """

  /// - Throws: `UsageError` for an empty message and for an unknown command.
  init(_ line: String) throws {
    let line = line.printable.trimmingCharacters(in: .whitespaces)
    if line.isEmpty { throw UsageError("There is nothing to send.") }
    if line.hasPrefix("//") || !line.hasPrefix("/") {
      self = .say(line.hasPrefix("//") ? String(line.dropFirst()) : line)
      return
    }
    let parts = line.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    let rest = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    switch (parts.first ?? "", rest) {
    case ("attach", let path) where !path.isEmpty: self = .attach(Self.file(path))
    case ("save", let words) where !words.isEmpty:
      let words = words.split(separator: " ", maxSplits: 1).map(String.init)
      guard let number = Int(words[0]) else {
        throw UsageError("'/save' needs the number that is shown before the file.")
      }
      self = .save(number, as: words.count > 1 ? Self.file(words[1]) : nil)
    case ("join", let name) where !name.isEmpty: self = .join(name)
    case ("create", let name) where !name.isEmpty: self = .create(name)
    case ("room", let name) where !name.isEmpty: self = .room(name)
    case ("invite", let address) where !address.isEmpty: self = .invite(address)
    case ("open", let url) where !url.isEmpty: self = .open(url)
    case ("rooms", ""): self = .rooms
    case ("who", ""): self = .who
    case ("channels", ""): self = .channels
    case ("leave", ""): self = .leave
    case ("help", ""): self = .help
    case ("quit", ""): self = .quit
    default: throw UsageError("'\(line)' is not a command; '/help' lists the commands.")
    }
  }

  private static func file(_ path: String) -> URL {
    URL(fileURLWithPath: NSString(string: path).expandingTildeInPath)
  }
}

/// A sentence for the user about wrong input.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
