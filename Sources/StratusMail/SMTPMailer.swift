import NIOCore
import NIOSSL
public import StratusDomain

/// Sends mails over a submission server. Each mail has a connection of its own.
public struct SMTPMailer: Mailer {
  private let server: SMTPServer
  private let encryption: NIOSSLContext?
  private let sender: String
  private let now: @Sendable () -> Int64
  private let times: SMTPConnection.Times

  /// - Parameters:
  ///   - sender: an address, or a name followed by an address in angle brackets.
  ///   - now: returns the time in milliseconds since 1970 UTC.
  /// - Throws: a sentence that says what is wrong: the sender is not an address, the password would
  ///   be sent without encryption, or the file of certificates cannot be read.
  public init(
    server: SMTPServer, sender: String, now: @escaping @Sendable () -> Int64
  ) throws(MailFailure) {
    try self.init(server: server, sender: sender, times: SMTPConnection.Times(), now: now)
  }

  init(
    server: SMTPServer, sender: String, times: SMTPConnection.Times,
    now: @escaping @Sendable () -> Int64
  ) throws(MailFailure) {
    _ = try MailText.address(of: sender)
    encryption = try server.encryption()
    self.server = server
    self.sender = sender
    self.times = times
    self.now = now
  }

  public func send(_ mail: Mail) async throws(MailFailure) {
    let text = try MailText.message(mail, from: sender, at: now())
    let from = try MailText.address(of: sender)
    let recipient = try MailText.address(of: mail.recipient)
    do {
      let connection = try await SMTPConnection.open(
        to: server, encryption: encryption, times: times)
      do {
        try await connection.begin(as: MailText.domain(of: from))
        try await connection.deliver(text, from: from, to: recipient)
      } catch {
        connection.close()
        throw error
      }
      connection.close()
    } catch let failure as MailFailure {
      throw failure
    } catch {
      throw MailFailure(
        "the mail server \(server.host) cannot be reached at port \(server.port): \(error)")
    }
  }
}
