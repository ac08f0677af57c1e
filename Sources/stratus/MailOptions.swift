import ArgumentParser
import Foundation
import StratusServer

/// The options for sign-up and for mails to users.
struct MailOptions: ParsableArguments {
  /// The maximum of `--mails-per-hour`.
  private static let mailsPerHourMax = 1_000_000

  @Option(
    help: """
      The persons that may create an account: open (each person with an e-mail address), invited \
      (persons that the operator invites) or closed (only the operator creates accounts).
      """)
  var signUp: SignUp = .closed

  @Option(
    name: .customLong("smtp-host"),
    help: ArgumentHelp(
      "The host of the submission server that delivers mails. Default: the server sends no mails.",
      valueName: "host"))
  var smtpHost: String?

  @Option(
    name: .customLong("smtp-port"),
    help: "The port of the submission server. Default: 587, or 465 with --smtp-security tls.")
  var smtpPort: Int?

  @Option(
    name: .customLong("smtp-security"),
    help: "The encryption of the connection to the submission server: starttls, tls or none.")
  var smtpSecurity: Security = .starttls

  @Option(
    name: .customLong("smtp-user"),
    help: ArgumentHelp(
      "The user name for the submission server. Default: the server does not sign in.",
      valueName: "name"))
  var smtpUser: String?

  @Option(
    name: .customLong("smtp-password-file"),
    help: ArgumentHelp(
      """
      A file with the password for the submission server. Default: the environment variable \
      STRATUS_SMTP_PASSWORD.
      """,
      valueName: "file"))
  var smtpPasswordFile: String?

  @Option(
    name: .customLong("smtp-ca"),
    help: ArgumentHelp(
      """
      A PEM file with the certificates of the authorities that may issue the submission server's \
      certificate. Default: the authorities that the system trusts.
      """,
      valueName: "file"))
  var smtpCA: String?

  @Option(
    help: ArgumentHelp(
      "The sender of mails: an address, or 'Name <address>'.", valueName: "sender"))
  var mailFrom: String?

  @Option(
    help: ArgumentHelp(
      "A folder for mails as .eml files, for development. It replaces the submission server.",
      valueName: "folder"))
  var mailFolder: String?

  @Option(help: "The maximum number of mails in one hour that visitors of the pages cause.")
  var mailsPerHour = MailServiceSettings.mailsPerHour

  enum SignUp: String, ExpressibleByArgument, CaseIterable { case open, invited, closed }
  enum Security: String, ExpressibleByArgument, CaseIterable { case starttls, tls, none }

  /// - Returns: nil if there are neither mails nor sign-ups.
  /// - Throws: `Failure` with a sentence that says what is missing or wrong.
  func settings(publicURL: String?) throws -> MailServiceSettings? {
    try requireNumber(mailsPerHour, in: 1...Self.mailsPerHourMax, of: "--mails-per-hour")
    let route = try route()
    if route == nil, signUp == .closed { return nil }
    guard publicURL != nil else {
      let option =
        signUp != .closed ? "--sign-up" : mailFolder == nil ? "--smtp-host" : "--mail-folder"
      throw Failure("\(option) needs --public-url, which is the beginning of the links in mails")
    }
    if signUp == .open, route == nil {
      throw Failure("--sign-up open needs --smtp-host, because a mail verifies each address")
    }
    return MailServiceSettings(
      signUp: signUp.rawValue, route: route, sender: mailFrom ?? "Stratus <stratus@localhost>",
      mailsPerHour: mailsPerHour)
  }

  private func route() throws -> MailServiceSettings.Route? {
    if let mailFolder {
      if smtpHost != nil {
        throw Failure("--mail-folder and --smtp-host exclude each other; give one of them")
      }
      return .folder(URL(fileURLWithPath: mailFolder))
    }
    guard let smtpHost else {
      for (value, name) in [
        (smtpUser, "user"), (smtpPasswordFile, "password-file"), (smtpCA, "ca"),
      ] where value != nil {
        throw Failure("--smtp-\(name) needs --smtp-host, too")
      }
      return nil
    }
    guard mailFrom != nil else { throw Failure("--smtp-host needs --mail-from, too") }
    let port = smtpPort ?? (smtpSecurity == .tls ? 465 : 587)
    try requireNumber(port, in: 1...65_535, of: "--smtp-port")
    let file = smtpPasswordFile.map { URL(fileURLWithPath: $0) }
    if file != nil, smtpUser == nil {
      throw Failure("--smtp-password-file needs --smtp-user, too")
    }
    return .smtp(
      MailServiceSettings.SMTP(
        host: smtpHost, port: port, security: smtpSecurity.rawValue, user: smtpUser,
        password: try smtpUser.map { _ in try password() }, trustFile: smtpCA,
        passwordFile: file))
  }

  private func password() throws -> String {
    let text: String
    if let smtpPasswordFile {
      guard let data = FileManager.default.contents(atPath: smtpPasswordFile) else {
        throw Failure(
          "--smtp-password-file '\(smtpPasswordFile)' cannot be read; check its name and rights")
      }
      text = String(decoding: data, as: UTF8.self)
    } else {
      guard let value = ProcessInfo.processInfo.environment["STRATUS_SMTP_PASSWORD"] else {
        throw Failure("--smtp-user needs --smtp-password-file, or STRATUS_SMTP_PASSWORD")
      }
      text = value
    }
    let password = text.trimmingCharacters(in: .newlines)
    guard !password.isEmpty else { throw Failure("the password of --smtp-user is empty") }
    return password
  }
}
