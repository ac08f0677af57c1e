public import Foundation
import StratusArchive

/// Identifies a notification. Swift code uses the name `CKNotification.ID`.
///
/// NB: the class is not nested, because Foundation on Linux cannot archive a nested class.
public final class CKNotificationID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The ID as the text that the server sends.
  let text: String

  init(_ text: String) { self.text = text }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKNotificationID else { return false }
    return text.isIdentical(to: other.text)
  }

  public override var hash: Int { text.hashValue }

  public override var description: String { "<CKNotificationID: \(text)>" }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.notificationID.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived ID; nil if the archive has none.
  public init?(coder: NSCoder) {
    guard let text = coder.string("NotificationUUID") else { return nil }
    self.text = text
  }

  public func encode(with coder: NSCoder) {
    coder.encode(text as NSString, forKey: "NotificationUUID")
  }
}
