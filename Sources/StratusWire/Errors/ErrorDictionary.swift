/// An error as it crosses the wire: for a whole request, or in place of one item.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*; `uuid` and `reason` are
/// always there, because clients fail to decode without them.
public struct ErrorDictionary: Sendable, Error {
  public var code: ErrorCode
  /// One of ``Reason``, or a sentence that names what is wrong.
  public var reason: String
  /// Names this occurrence in the server's log.
  public var uuid: String
  /// Seconds after which a repetition may succeed; nil: do not repeat.
  public var retryAfterSeconds: Int?
  /// Where to sign in; only with `AUTHENTICATION_REQUIRED`.
  public var redirectURL: String?
  /// Only with `ZONE_NOT_FOUND`: whether the zone went with its keys, by a reset of encrypted data.
  public var userDidResetEncryptedData: Bool
  /// The number of the native framework's error, where code and reason do not tell it; the server
  /// of `StratusTesting` says it. An addition of ours, which web clients pass over.
  public var nativeCode: Int?

  public init(
    code: ErrorCode, reason: String, uuid: String,
    retryAfterSeconds: Int? = nil, redirectURL: String? = nil,
    userDidResetEncryptedData: Bool = false, nativeCode: Int? = nil
  ) {
    self.nativeCode = nativeCode
    self.code = code
    self.reason = reason
    self.uuid = uuid
    self.retryAfterSeconds = retryAfterSeconds
    self.redirectURL = redirectURL
    self.userDidResetEncryptedData = userDidResetEncryptedData
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("uuid", uuid)
    writer.member("serverErrorCode", code.rawValue)
    writer.member("reason", reason)
    writer.member("retryAfter", retryAfterSeconds.map(Int64.init))
    writer.member("redirectURL", redirectURL)
    if userDidResetEncryptedData { writer.member("userDidResetEncryptedData", true) }
    writer.member("ckErrorCode", nativeCode.map(Int64.init))
  }
}

extension ErrorDictionary: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// A code that is not in the list reads as `INTERNAL_ERROR`.
  public init(json: JSONView) throws(WireError) {
    let code = try json.requiredString("serverErrorCode")
    self.code = ErrorCode(rawValue: code) ?? .internalError
    reason = json["reason"]?.string ?? code
    uuid = json["uuid"]?.string ?? ""
    retryAfterSeconds = json["retryAfter"]?.double.flatMap(Self.wholeSeconds)
    redirectURL = json["redirectURL"]?.string
    userDidResetEncryptedData = json["userDidResetEncryptedData"]?.bool ?? false
    nativeCode = json["ckErrorCode"]?.int64.flatMap { Int(exactly: $0) }
  }

  /// Seconds rounded up; a day at most, nil if negative, whatever a server or a proxy says.
  private static func wholeSeconds(_ seconds: Double) -> Int? {
    seconds < 0 ? nil : Int(min(seconds, 86_400).rounded(.up))
  }
}
