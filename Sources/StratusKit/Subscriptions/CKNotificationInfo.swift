public import Foundation
import StratusArchive
import StratusWire
import Synchronization

/// The content of a subscription's notifications, and the way they are delivered. Swift code uses
/// the name `CKSubscription.NotificationInfo`.
///
/// NB: the class is not nested, because Foundation on Linux cannot archive a nested class.
public final class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  private let state: Mutex<StratusWire.NotificationInfo>

  /// This object in its wire form.
  var wire: StratusWire.NotificationInfo { state.withLock { $0 } }

  /// Makes an object without content: the notification only wakes the app.
  public override convenience init() { self.init(wire: StratusWire.NotificationInfo()) }

  /// Makes an object. Each parameter sets the property of the same name.
  public convenience init(
    alertBody: String? = nil, alertLocalizationKey: String? = nil,
    alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil,
    titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
    subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
    subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
    alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil,
    soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false,
    shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false,
    category: String? = nil, collapseIDKey: String? = nil
  ) {
    self.init()
    self.alertBody = alertBody
    self.alertLocalizationKey = alertLocalizationKey
    self.alertLocalizationArgs = alertLocalizationArgs
    self.title = title
    self.titleLocalizationKey = titleLocalizationKey
    self.titleLocalizationArgs = titleLocalizationArgs
    self.subtitle = subtitle
    self.subtitleLocalizationKey = subtitleLocalizationKey
    self.subtitleLocalizationArgs = subtitleLocalizationArgs
    self.alertActionLocalizationKey = alertActionLocalizationKey
    self.alertLaunchImage = alertLaunchImage
    self.soundName = soundName
    self.desiredKeys = desiredKeys
    self.shouldBadge = shouldBadge
    self.shouldSendContentAvailable = shouldSendContentAvailable
    self.shouldSendMutableContent = shouldSendMutableContent
    self.category = category
    self.collapseIDKey = collapseIDKey
  }

  init(wire: StratusWire.NotificationInfo) {
    state = Mutex(wire)
    super.init()
  }

  /// Two objects are equal if all their properties are equal.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKNotificationInfo)?.wire == wire
  }

  public override var hash: Int { wire.hashValue }

  /// The text of the alert.
  public var alertBody: String? {
    get { wire.alertBody }
    set { state.withLock { $0.alertBody = newValue } }
  }

  /// The key of the text in the app's translations. This property overrides `alertBody`.
  public var alertLocalizationKey: String? {
    get { wire.alertLocalizationKey }
    set { state.withLock { $0.alertLocalizationKey = newValue } }
  }

  /// The names of the fields whose values are inserted into the translated text.
  public var alertLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.alertLocalizationArgs }
    set { state.withLock { $0.alertLocalizationArgs = newValue } }
  }

  /// The title of the alert.
  public var title: String? {
    get { wire.title }
    set { state.withLock { $0.title = newValue } }
  }

  /// The key of the title in the app's translations. This property overrides `title`.
  public var titleLocalizationKey: String? {
    get { wire.titleLocalizationKey }
    set { state.withLock { $0.titleLocalizationKey = newValue } }
  }

  /// The names of the fields whose values are inserted into the translated title.
  public var titleLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.titleLocalizationArgs }
    set { state.withLock { $0.titleLocalizationArgs = newValue } }
  }

  /// The subtitle of the alert.
  public var subtitle: String? {
    get { wire.subtitle }
    set { state.withLock { $0.subtitle = newValue } }
  }

  /// The key of the subtitle in the app's translations. This property overrides `subtitle`.
  public var subtitleLocalizationKey: String? {
    get { wire.subtitleLocalizationKey }
    set { state.withLock { $0.subtitleLocalizationKey = newValue } }
  }

  /// The names of the fields whose values are inserted into the translated subtitle.
  public var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
    get { wire.subtitleLocalizationArgs }
    set { state.withLock { $0.subtitleLocalizationArgs = newValue } }
  }

  /// The key of the button's text in the app's translations.
  public var alertActionLocalizationKey: String? {
    get { wire.alertActionLocalizationKey }
    set { state.withLock { $0.alertActionLocalizationKey = newValue } }
  }

  /// The name of the image that the app shows while it starts.
  public var alertLaunchImage: String? {
    get { wire.alertLaunchImage }
    set { state.withLock { $0.alertLaunchImage = newValue } }
  }

  /// The sound of the alert: the name of a sound file, or `default`.
  public var soundName: String? {
    get { wire.soundName }
    set { state.withLock { $0.soundName = newValue } }
  }

  /// The names of at most three fields whose values are part of the notification.
  public var desiredKeys: [CKRecord.FieldKey]? {
    get { wire.additionalFields }
    set { state.withLock { $0.additionalFields = newValue } }
  }

  /// Whether each notification adds one to the number on the app's icon; false by default.
  public var shouldBadge: Bool {
    get { wire.shouldBadge }
    set { state.withLock { $0.shouldBadge = newValue } }
  }

  /// Whether the notification wakes the app; false by default.
  public var shouldSendContentAvailable: Bool {
    get { wire.shouldSendContentAvailable }
    set { state.withLock { $0.shouldSendContentAvailable = newValue } }
  }

  /// Whether the app may change the content before the device shows it; false by default.
  public var shouldSendMutableContent: Bool {
    get { wire.shouldSendMutableContent }
    set { state.withLock { $0.shouldSendMutableContent = newValue } }
  }

  /// The category of the alert. The app declares its categories.
  public var category: String? {
    get { wire.category }
    set { state.withLock { $0.category = newValue } }
  }

  /// The name of a field. A new notification replaces an earlier notification if both have the same
  /// value of this field.
  public var collapseIDKey: String? {
    get { wire.collapseIDKey }
    set { state.withLock { $0.collapseIDKey = newValue } }
  }

  func duplicate() -> CKNotificationInfo { CKNotificationInfo(wire: wire) }

  public func copy(with zone: NSZone? = nil) -> Any { duplicate() }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.notificationInfo.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived object; nil if the archive is damaged.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.data("NotificationInfo"),
      let wire = try? StratusWire.NotificationInfo(jsonBytes: Array(data))
    else { return nil }
    self.init(wire: wire)
  }

  public func encode(with coder: NSCoder) {
    coder.encode(NSData(data: Data(wire.jsonBytes)), forKey: "NotificationInfo")
  }
}
