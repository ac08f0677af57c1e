import StratusAccounts
import StratusDomain
import StratusTesting
import Synchronization
import Testing

/// A mailer that keeps the mails in memory instead of sending them.
final class Mailbox: Mailer {
  private let mails = Mutex<[Mail]>([])
  /// The failure of every attempt, or nil if attempts succeed.
  let failure = Mutex<MailFailure?>(nil)
  let attemptCount = Mutex(0)

  func send(_ mail: Mail) async throws(MailFailure) {
    attemptCount.withLock { $0 += 1 }
    if let failure = failure.withLock({ $0 }) { throw failure }
    mails.withLock { $0.append(mail) }
  }

  /// Returns the mails since the last call.
  func take() -> [Mail] {
    mails.withLock { mails in
      defer { mails = [] }
      return mails
    }
  }
}

/// A server that can send mails.
struct MailScene {
  let scene: SignInScene
  let mailbox: Mailbox

  static let url = "https://cloud.example.org"
  static let newPassword = "twelve grey bicycles"

  static func with(
    _ policy: SignUpPolicy = .open, isAvailable: Bool = true,
    mailsPerHour: Int = MailSettings.mailsPerHour,
    _ body: (MailScene) async throws -> Void
  ) async throws {
    let mail = MailSettings(
      serverURL: url, policy: policy, isAvailable: isAvailable, mailsPerHour: mailsPerHour)
    try await SignInScene.with(mail: mail) { scene in
      try await body(MailScene(scene: scene, mailbox: Mailbox()))
    }
  }

  var server: TestServer { scene.server }

  /// Sends the waiting mails and returns those that were sent.
  func mails() async throws -> [Mail] {
    try await server.sendMails(by: mailbox)
    return mailbox.take()
  }

  /// Submits an address on a page that sends a mail to this address.
  func ask(_ browser: Browser, _ path: String, _ email: String) async throws -> Browser.Page {
    try await browser.submit(try await browser.get(path), path, ["email": email])
  }

  /// Invites a person by mail.
  func invite(_ email: String) async throws {
    _ = try await server.manage(
      "accounts/invite", ["email": "\(email)", "mailed": true])
  }

  /// Returns the path of the link in the only waiting mail.
  func link() async throws -> String {
    let mails = try await mails()
    try #require(mails.count == 1)
    return try Self.link(in: mails[0])
  }

  static func link(in mail: Mail) throws -> String {
    let line = try #require(
      mail.text.split(separator: "\n").first { $0.hasPrefix(url + "/auth/code?code=") })
    return String(line.dropFirst(url.count))
  }
}
