import StratusDomain

/// The table of container settings whose values are texts, added with layout 9.
enum SettingTables {
  /// A row of `setting_texts` contains a setting and its value. A setting without a row has no
  /// value.
  static func text(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE setting_texts (
      name \(dialect.text) PRIMARY KEY,
      value \(dialect.text) NOT NULL);
    """
  }
}

/// The names of container settings in the table `setting_texts`.
enum StoredSettingText: String, CaseIterable {
  case shareAppURL = "share_app_url"
  case shareFallbackURL = "share_fallback_url"
  case invitationMails = "invitation_mails"

  var path: WritableKeyPath<ContainerSettings, String?> {
    switch self {
    case .shareAppURL: \.shareAppURL
    case .shareFallbackURL: \.shareFallbackURL
    case .invitationMails: \.invitationMailsText
    }
  }
}

extension ContainerSettings {
  /// ``mailsInvitations`` as a text: `yes`, or nil for no.
  fileprivate var invitationMailsText: String? {
    get { mailsInvitations ? "yes" : nil }
    set { mailsInvitations = newValue != nil }
  }
}

extension StoreSession {
  /// Reads the settings that are texts.
  func readTexts(into settings: inout ContainerSettings) throws(ServerError) {
    let rows = try connection.all(SettingStatements.texts, []) { ($0.text(0), $0.text(1)) }
    for (name, value) in rows {
      guard let setting = StoredSettingText(rawValue: name) else {
        throw .fault("a setting is unknown", facts: ["setting": name])
      }
      settings[keyPath: setting.path] = value
    }
  }

  /// Replaces the settings that are texts.
  func writeTexts(of settings: ContainerSettings) throws(ServerError) {
    for setting in StoredSettingText.allCases {
      if let value = settings[keyPath: setting.path] {
        try connection.queue(
          SettingStatements.setText, [.text(setting.rawValue), .text(value)])
      } else {
        try connection.queue(SettingStatements.removeText, [.text(setting.rawValue)])
      }
    }
  }
}

private enum SettingStatements {
  static let texts = SQLStatement("SELECT name, value FROM setting_texts ORDER BY name")
  static let setText = SQLStatement(
    """
    INSERT INTO setting_texts (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)
  static let removeText = SQLStatement("DELETE FROM setting_texts WHERE name = ?")
}
