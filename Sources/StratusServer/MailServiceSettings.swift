public import Foundation
import StratusAccounts
import StratusDomain
import StratusMail

/// The settings for sign-up and for mails to users.
public struct MailServiceSettings: Sendable {
  /// A submission server, and the credentials for it.
  public struct SMTP: Sendable {
    public var host: String
    public var port: Int
    /// The protection of the connection: `tls`, `starttls` or `none`.
    public var security: String
    public var user: String?
    public var password: String?
    /// The path of a file with certificates, or nil for the certificates of the system.
    public var trustFile: String?
    /// The file from which the password was read, or nil if it was not in a file.
    public var passwordFile: URL?

    public init(
      host: String, port: Int, security: String, user: String?, password: String?,
      trustFile: String?, passwordFile: URL? = nil
    ) {
      self.passwordFile = passwordFile
      self.host = host
      self.port = port
      self.security = security
      self.user = user
      self.password = password
      self.trustFile = trustFile
    }
  }

  /// The way in which mails leave the server.
  public enum Route: Sendable {
    /// Files in a folder.
    case folder(URL)
    case smtp(SMTP)
  }

  /// The rule for new accounts: `open`, `invited` or `closed`.
  public var signUp: String
  /// nil means that the server sends no mails.
  public var route: Route?
  /// The address of the sender, or a name followed by the address in angle brackets.
  public var sender: String
  /// The maximum number of mails in an hour that visitors cause.
  public var mailsPerHour: Int

  public static let mailsPerHour = MailSettings.mailsPerHour

  public init(
    signUp: String, route: Route?, sender: String, mailsPerHour: Int = Self.mailsPerHour
  ) {
    self.signUp = signUp
    self.route = route
    self.sender = sender
    self.mailsPerHour = mailsPerHour
  }

  /// The file with the password of the submission server, or nil if there is none.
  var passwordFile: URL? {
    if case .smtp(let smtp) = route { smtp.passwordFile } else { nil }
  }

  /// The settings of the pages.
  ///
  /// - Parameter serverURL: the server's URL in links, or nil on a development server.
  func pages(serverURL: String?) -> MailSettings {
    MailSettings(
      serverURL: serverURL, policy: SignUpPolicy(rawValue: signUp) ?? .closed,
      isAvailable: route != nil, mailsPerHour: mailsPerHour)
  }

  /// Returns the object that sends mails, or nil if the server sends none.
  ///
  /// - Throws: an error whose text says what is wrong.
  func mailer(live: Live) throws -> (any Mailer)? {
    let now = live.ambient.now
    switch route {
    case nil: return nil
    case .folder(let url): return try MailFolder(folder: url, sender: sender, now: now)
    case .smtp(let smtp):
      guard let security = SMTPServer.Security(rawValue: smtp.security) else {
        throw MailFailure("--smtp-security must be tls, starttls or none")
      }
      return try SMTPMailer(
        server: SMTPServer(
          host: smtp.host, port: smtp.port, security: security, user: smtp.user,
          password: smtp.password, trustFile: smtp.trustFile),
        sender: sender, now: now)
    }
  }
}
