public import Foundation
import StratusArchive

/// An opaque position in the changes of a database or of a zone.
public final class CKServerChangeToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  private let tokenData: Data

  /// Makes a token from the server's text.
  init(syncToken: String) { tokenData = Data(syncToken.utf8) }

  /// The text to send to the server.
  ///
  /// Choice: a token of Apple's framework, whose bytes are not text, is sent in base64. The server
  /// rejects such a token in the same way as any unknown token.
  var syncToken: String {
    String(data: tokenData, encoding: .utf8) ?? tokenData.base64EncodedString()
  }

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.tokenData == tokenData
  }

  public override var hash: Int { tokenData.hashValue }

  public override var description: String {
    "<CKServerChangeToken: data=\(tokenData.base64EncodedString())>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.serverChangeToken.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived token, from Stratus or from Apple's framework; nil if the archive contains
  /// no token.
  public init?(coder: NSCoder) {
    guard let data = coder.data("ChangeTokenData") else { return nil }
    tokenData = data
  }

  public func encode(with coder: NSCoder) {
    coder.encode(NSData(data: tokenData), forKey: "ChangeTokenData")
  }
}
