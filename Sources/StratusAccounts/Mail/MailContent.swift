import StratusDomain

/// The subject and the lines of a mail to a user.
struct MailContent: Sendable, Hashable {
  let subject: String
  /// The lines of the mail. Each line ends with a newline.
  let lines: String

  init(_ subject: String, _ paragraphs: String...) {
    self.subject = subject
    lines = paragraphs.joined(separator: "\n\n") + "\n"
  }

  private static let ignore =
    "If you did not request this mail, ignore it. Nothing changes without the link."

  private static func asked(_ serverURL: String) -> String {
    "This address was entered on \(serverURL)."
  }

  /// The answer to a sign-up whose address has no account yet.
  static func signUp(_ serverURL: String, code: String) -> MailContent {
    MailContent(
      "Create your account", asked(serverURL),
      "To create an account, open this link in the same browser within ten minutes:\n"
        + link(serverURL, code), ignore)
  }

  /// The answer to a sign-up whose address already has an account.
  static func accountExists(_ serverURL: String) -> MailContent {
    MailContent(
      "You have an account", asked(serverURL),
      "There is already an account with this address. If you have forgotten the password, you "
        + "can set a new one:\n\(serverURL)/auth/reset",
      "If you did not request this mail, ignore it.")
  }

  static func reset(_ serverURL: String, code: String) -> MailContent {
    MailContent(
      "Set a new password", asked(serverURL),
      "To set a new password, open this link in the same browser within ten minutes:\n"
        + link(serverURL, code), ignore)
  }

  /// The answer to a password reset whose address has no account, or has a disabled account.
  static func noAccount(_ serverURL: String) -> MailContent {
    MailContent(
      "Your password", asked(serverURL),
      "There is no account with this address that can get a new password. You may have used "
        + "another address.",
      "If you did not request this mail, ignore it.")
  }

  static func invitation(_ serverURL: String, code: String) -> MailContent {
    MailContent(
      "Invitation", "You are invited to create an account on \(serverURL).",
      "To choose a password, open this link within a week:\n" + link(serverURL, code),
      "If you do not want an account, ignore this mail.")
  }

  /// The mail with which a user confirms a further address of an account.
  ///
  /// - Parameter account: the address of the account.
  static func address(_ serverURL: String, code: String, account: String) -> MailContent {
    MailContent(
      "Confirm your address", asked(serverURL),
      "The account \(account) wants to join what others share with this address. To confirm that "
        + "this address is yours, open this link in the same browser within ten minutes:\n"
        + "\(serverURL)/auth/address?code=\(code)", ignore)
  }

  /// The answer if a user adds an address that has an account of its own. Such an address cannot be
  /// added to another account.
  static func addressHasAccount(_ serverURL: String) -> MailContent {
    MailContent(
      "Your address has an account", asked(serverURL),
      "This address has an account of its own. To join what others share with this address, sign "
        + "in with it.",
      "If you did not request this mail, ignore it.")
  }

  /// An invitation to a share.
  ///
  /// NB: the text contains nothing that the inviter has typed, such as the title of the share.
  /// Otherwise the server would send texts of any user to any address.
  ///
  /// - Parameter inviter: the address of the inviter's account, or nil if it is not known.
  static func shareInvitation(_ shareURL: String, from inviter: String?) -> MailContent {
    MailContent(
      "Somebody shares something with you",
      "\(inviter ?? "A user of this server") shares something with you. To see it, open this link, "
        + "sign in or create an account with this address, and accept:\n" + shareURL,
      "If the app encrypts the shared data, it opens only with the complete URL, which the sender "
        + "can send you.",
      "If you do not know the sender, ignore this mail. Nothing is shared before you accept.")
  }

  static func passwordChanged(_ serverURL: String) -> MailContent {
    notice(
      "Your password was changed", "The password of your account on \(serverURL) was changed.")
  }

  static func factorAdded(_ serverURL: String) -> MailContent {
    notice(
      "Second factor set up", "A second factor for your account on \(serverURL) was set up.")
  }

  static func factorRemoved(_ serverURL: String) -> MailContent {
    notice(
      "Second factor removed", "The second factor of your account on \(serverURL) was removed.")
  }

  static func passkeyAdded(_ serverURL: String) -> MailContent {
    notice("Passkey added", "A passkey was added to your account on \(serverURL).")
  }

  static func passkeyRemoved(_ serverURL: String) -> MailContent {
    notice("Passkey removed", "A passkey of your account on \(serverURL) was removed.")
  }

  static func passwordRemoved(_ serverURL: String) -> MailContent {
    notice("Password removed", "The password of your account on \(serverURL) was removed.")
  }

  static func providerLinked(_ serverURL: String, _ name: String) -> MailContent {
    notice(
      "Sign-in linked",
      "A user of \(name) was linked to your account on \(serverURL), and can sign in to it.")
  }

  static func providerUnlinked(_ serverURL: String) -> MailContent {
    notice(
      "Link removed",
      "The link of your account on \(serverURL) to another provider was removed.")
  }

  static func addressAdded(_ serverURL: String, _ email: String) -> MailContent {
    notice(
      "Address added",
      "The address \(email) was added to your account on \(serverURL). The account can join what "
        + "others share with this address.")
  }

  static func recoveryCodeUsed(_ serverURL: String) -> MailContent {
    notice(
      "A recovery code was used", "A recovery code of your account on \(serverURL) was used.")
  }

  static func dataExported(_ serverURL: String) -> MailContent {
    notice(
      "Your data was downloaded", "The data of your account on \(serverURL) was downloaded.")
  }

  static func accountDeleted(_ serverURL: String) -> MailContent {
    MailContent(
      "Your account is deleted",
      "Your account on \(serverURL) and all its data were deleted on the account page.",
      "If you did not do this, tell the operator of the server.")
  }

  private static func notice(_ subject: String, _ sentence: String) -> MailContent {
    MailContent(
      subject, sentence,
      "If you did not do this, set a new password now, and tell the operator of the server.")
  }

  /// The link that shows the page of a code. The path is short, so that mail programs do not wrap
  /// the link.
  static func link(_ serverURL: String, _ code: String) -> String {
    "\(serverURL)/auth/code?code=\(code)"
  }
}
