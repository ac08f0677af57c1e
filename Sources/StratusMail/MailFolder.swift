public import Foundation
public import StratusDomain

/// Writes mails as `.eml` files into a folder. Mail programs can open these files. This mailer is
/// for development, because it delivers nothing.
public struct MailFolder: Mailer {
  private let folder: URL
  private let sender: String
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - sender: an address, or a name followed by an address in angle brackets.
  ///   - now: returns the time in milliseconds since 1970 UTC.
  /// - Throws: a sentence that says what is wrong, if the sender is not an address.
  public init(
    folder: URL, sender: String, now: @escaping @Sendable () -> Int64
  ) throws(MailFailure) {
    _ = try MailText.address(of: sender)
    self.folder = folder
    self.sender = sender
    self.now = now
  }

  public func send(_ mail: Mail) async throws(MailFailure) {
    let time = now()
    let text = try MailText.message(mail, from: sender, at: time)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(text.utf8).write(
        to: folder.appendingPathComponent("\(time)-\(MailText.plainID(mail.id)).eml"),
        options: .atomic)
    } catch {
      throw MailFailure("a mail cannot be written to '\(folder.path)': \(error)")
    }
  }
}
