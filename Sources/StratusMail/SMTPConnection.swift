import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import StratusDomain

/// One connection to a submission server (RFC 5321).
struct SMTPConnection: Sendable {
  /// The time-outs of a connection.
  struct Times: Sendable {
    /// The time-out of each reply, and of connecting to the server.
    var step = TimeAmount.seconds(10)
    /// The time-out of the reply to the text of the mail. The server may check the mail first.
    var delivery = TimeAmount.seconds(60)
    /// The time-out of the whole mail, from the connection to the last reply.
    var mail = TimeAmount.seconds(120)
  }

  private let server: SMTPServer
  private let encryption: NIOSSLContext?
  private let channel: any Channel
  private let replies: NIOLoopBound<SMTPReplies>
  private let times: Times

  /// - Parameter encryption: nil if the connection is not encrypted.
  static func open(
    to server: SMTPServer, encryption: NIOSSLContext?, times: Times
  ) async throws -> SMTPConnection {
    let name = server.certificateName
    let context = server.security == .tls ? encryption : nil
    let (channel, replies) = try await ClientBootstrap(
      group: MultiThreadedEventLoopGroup.singleton
    )
    .connectTimeout(times.step)
    .connect(host: server.host, port: server.port) { channel in
      channel.eventLoop.makeCompletedFuture {
        let replies = SMTPReplies()
        if let context {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: name))
        }
        try channel.pipeline.syncOperations.addHandler(replies)
        return (channel, NIOLoopBound(replies, eventLoop: channel.eventLoop))
      }
    }
    return SMTPConnection(
      server: server, encryption: encryption, channel: channel, replies: replies, times: times)
  }

  /// Reads the greeting, begins the encryption, and signs in.
  ///
  /// - Parameter name: the name of this server in its greeting.
  func begin(as name: String) async throws {
    _ = try await expect(220, "the connection")
    let greeting = "EHLO \(name)"
    var features = try await say(greeting, 250)
    if server.security == .starttls {
      guard let encryption else { throw MailFailure("the mail server needs encryption") }
      guard features.lines.contains(where: { $0.uppercased() == "STARTTLS" }) else {
        throw MailFailure("the mail server does not offer STARTTLS; set --smtp-security")
      }
      _ = try await say("STARTTLS", 220)
      try await encrypt(with: encryption)
      // NB: everything that the server said before the encryption is forgotten (RFC 3207 §4.2).
      features = try await say(greeting, 250)
    }
    if let user = server.user { try await signIn(user, server.password ?? "", features) }
  }

  private func signIn(
    _ user: String, _ password: String, _ features: SMTPReply
  ) async throws {
    let methods =
      features.lines.map { $0.uppercased() }.first { $0.hasPrefix("AUTH ") }?
      .split(separator: " ").dropFirst() ?? []
    func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    if methods.contains("PLAIN") {
      _ = try await say(
        "AUTH PLAIN \(encoded("\u{0}\(user)\u{0}\(password)"))", 235, step: "the password")
    } else if methods.contains("LOGIN") {
      _ = try await say("AUTH LOGIN", 334)
      _ = try await say(encoded(user), 334, step: "the user name")
      _ = try await say(encoded(password), 235, step: "the password")
    } else {
      throw MailFailure("the mail server offers neither AUTH PLAIN nor AUTH LOGIN")
    }
  }

  /// Begins TLS.
  ///
  /// NB: a server that has sent more than its reply is refused. An attacker on the network could
  /// have added this text, and it would count as encrypted (CVE-2011-0411).
  private func encrypt(with context: NIOSSLContext) async throws {
    let name = server.certificateName
    try await channel.eventLoop.submit { [channel, replies] in
      guard replies.value.isQuiet else {
        throw MailFailure("the mail server sent text before the encryption began")
      }
      try channel.pipeline.syncOperations.addHandler(
        NIOSSLClientHandler(context: context, serverHostname: name), position: .first)
    }.get()
  }

  /// Sends one mail.
  func deliver(_ text: String, from sender: String, to recipient: String) async throws {
    _ = try await say("MAIL FROM:<\(sender)>", 250, step: "the sender")
    _ = try await say(
      "RCPT TO:<\(recipient)>", 250, 251, step: "the recipient", isFinal: true)
    _ = try await say("DATA", 354)
    // NB: a line that consists of a period ends the mail (RFC 5321 §4.5.2).
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { line in
        (line.first == UInt8(ascii: ".") ? "." : "") + String(decoding: line, as: UTF8.self)
      }
    let ending = text.hasSuffix("\r\n") ? "." : "\r\n."
    _ = try await say(
      lines.joined(separator: "\n") + ending, 250, step: "the mail", isFinal: true,
      within: times.delivery)
    // The server has accepted the mail, so the result of this command does not matter.
    _ = try? await say("QUIT", 221)
  }

  func close() { channel.close(promise: nil) }

  /// Runs `body`. Closes the connection, so that all replies fail, if `body` takes longer than
  /// ``Times/mail`` or if the task is cancelled.
  func closingAfterTimeOut(_ body: () async throws -> Void) async throws {
    let alarm = channel.eventLoop.scheduleTask(in: times.mail) { [channel] in
      channel.close(promise: nil)
    }
    defer { alarm.cancel() }
    try await withTaskCancellationHandler {
      try await body()
    } onCancel: {
      close()
    }
  }

  /// Sends a line and waits for the reply.
  ///
  /// - Parameters:
  ///   - codes: the codes of success.
  ///   - step: the name of the step in errors, which must not contain a secret. nil means the first
  ///     word of the line.
  ///   - isFinal: whether a permanent refusal means that no later attempt can succeed.
  private func say(
    _ line: String, _ codes: Int..., step: String? = nil, isFinal: Bool = false,
    within time: TimeAmount? = nil
  ) async throws -> SMTPReply {
    try await reply(
      codes, step ?? String(line.prefix { $0 != " " }), sending: line, isFinal: isFinal,
      within: time)
  }

  private func expect(_ code: Int, _ step: String) async throws -> SMTPReply {
    try await reply([code], step, sending: nil, isFinal: false, within: nil)
  }

  private func reply(
    _ codes: [Int], _ step: String, sending line: String?, isFinal: Bool,
    within time: TimeAmount?
  ) async throws -> SMTPReply {
    let time = time ?? times.step
    let reply = try await channel.eventLoop.flatSubmit { [channel, replies] in
      // NB: the time-out begins before the line is written, because a write waits for the end of
      // the TLS handshake. A failed write closes the channel, and so ends the wait for the reply.
      let reply = replies.value.next(on: channel.eventLoop, within: time)
      if let line { channel.writeAndFlush(ByteBuffer(string: line + "\r\n"), promise: nil) }
      return reply
    }.get()
    guard codes.contains(reply.code) else {
      let text = reply.lines.first ?? ""
      throw MailFailure(
        "the mail server refuses \(step): \(reply.code) \(text)",
        isPermanent: isFinal && reply.code >= 500)
    }
    return reply
  }
}
