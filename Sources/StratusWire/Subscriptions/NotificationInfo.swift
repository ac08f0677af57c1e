/// The contents of a subscription's notifications and their presentation.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, notification info dictionary.
/// The names of undocumented keys are the property names of `CKSubscription.NotificationInfo`.
public struct NotificationInfo: Sendable, Hashable {
  public var alertBody: String?
  public var alertLocalizationKey: String?
  /// The names of fields whose values are inserted into the alert.
  public var alertLocalizationArgs: [String]?
  public var title: String?
  public var titleLocalizationKey: String?
  /// The names of fields whose values are inserted into the title.
  public var titleLocalizationArgs: [String]?
  public var subtitle: String?
  public var subtitleLocalizationKey: String?
  /// The names of fields whose values are inserted into the subtitle.
  public var subtitleLocalizationArgs: [String]?
  public var alertActionLocalizationKey: String?
  public var alertLaunchImage: String?
  public var soundName: String?
  /// The names of fields whose values the notification contains. There are at most three.
  public var additionalFields: [String]?
  public var shouldBadge: Bool
  public var shouldSendContentAvailable: Bool
  public var shouldSendMutableContent: Bool
  public var category: String?
  /// The name of a field of the record. A notification replaces earlier ones with the same value of
  /// this field. Only query subscriptions use it.
  public var collapseIDKey: String?

  public init() {
    shouldBadge = false
    shouldSendContentAvailable = false
    shouldSendMutableContent = false
  }

  /// Whether the user sees or hears the notifications.
  ///
  /// Choice: localization arguments alone are not visible, because there is no text into which they
  /// could be inserted.
  public var isVisible: Bool {
    let texts = [
      alertBody, alertLocalizationKey, alertActionLocalizationKey, alertLaunchImage, title,
      titleLocalizationKey, subtitle, subtitleLocalizationKey, soundName, category,
    ]
    return shouldBadge || texts.contains { $0 != nil }
  }
}

extension NotificationInfo: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("alertBody", alertBody)
      writer.member("alertLocalizationKey", alertLocalizationKey)
      writer.member("alertLocalizationArgs", strings: alertLocalizationArgs)
      writer.member("title", title)
      writer.member("titleLocalizationKey", titleLocalizationKey)
      writer.member("titleLocalizationArgs", strings: titleLocalizationArgs)
      writer.member("subtitle", subtitle)
      writer.member("subtitleLocalizationKey", subtitleLocalizationKey)
      writer.member("subtitleLocalizationArgs", strings: subtitleLocalizationArgs)
      writer.member("alertActionLocalizationKey", alertActionLocalizationKey)
      writer.member("alertLaunchImage", alertLaunchImage)
      writer.member("soundName", soundName)
      writer.member("additionalFields", strings: additionalFields)
      writer.member("shouldBadge", shouldBadge)
      writer.member("shouldSendContentAvailable", shouldSendContentAvailable)
      // NB: the key is written only if it is set, because a strict client accepts only the keys on
      // Apple's page.
      if shouldSendMutableContent { writer.member("shouldSendMutableContent", true) }
      writer.member("category", category)
      writer.member("collapseIDKey", collapseIDKey)
    }
  }

  /// Reads a notification info. The key `desiredKeys`, the framework's name of `additionalFields`,
  /// is also accepted.
  public init(json: JSONView) throws(WireError) {
    try json.requireObject("notificationInfo")
    alertBody = try json.optionalString("alertBody")
    alertLocalizationKey = try json.optionalString("alertLocalizationKey")
    alertLocalizationArgs = try json.strings("alertLocalizationArgs")
    title = try json.optionalString("title")
    titleLocalizationKey = try json.optionalString("titleLocalizationKey")
    titleLocalizationArgs = try json.strings("titleLocalizationArgs")
    subtitle = try json.optionalString("subtitle")
    subtitleLocalizationKey = try json.optionalString("subtitleLocalizationKey")
    subtitleLocalizationArgs = try json.strings("subtitleLocalizationArgs")
    alertActionLocalizationKey = try json.optionalString("alertActionLocalizationKey")
    alertLaunchImage = try json.optionalString("alertLaunchImage")
    soundName = try json.optionalString("soundName")
    let nativeKeys = try json.strings("desiredKeys")
    additionalFields = try json.strings("additionalFields") ?? nativeKeys
    shouldBadge = try json.optionalBool("shouldBadge") ?? false
    shouldSendContentAvailable = try json.optionalBool("shouldSendContentAvailable") ?? false
    shouldSendMutableContent = try json.optionalBool("shouldSendMutableContent") ?? false
    category = try json.optionalString("category")
    collapseIDKey = try json.optionalString("collapseIDKey")
  }
}
