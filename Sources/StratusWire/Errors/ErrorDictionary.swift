/// An error of a whole request, or of one of its items.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*. `uuid` and `reason` are
/// always present, because clients fail to decode an error without them.
public struct ErrorDictionary: Sendable, Error {
  public var code: ErrorCode
  /// One of the sentences in ``Reason``, or a sentence that names the fault.
  public var reason: String
  /// The ID of the request, which all its errors have. The server's log uses the same ID.
  public var uuid: String
  /// The number of seconds after which a retry may succeed. nil means that the client must not
  /// retry.
  public var retryAfterSeconds: Int?
  /// The sign-in URL. It is present only with `AUTHENTICATION_REQUIRED`.
  public var redirectURL: String?
  /// Whether a reset of encrypted data deleted the zone. It is true only with `ZONE_NOT_FOUND`.
  public var userDidResetEncryptedData: Bool
  /// The error code of the CloudKit framework, if `code` and `reason` do not imply it. Only the
  /// test server of `StratusTesting` sends this key, and web clients ignore it.
  public var nativeCode: Int?
  /// The web page for people who cannot open a share. It is present only in the results of
  /// `records/resolve` and `records/accept`, if the container's operator has set it.
  public var webpageURL: String?
  /// The open invitations of a share, one of which may be for another address of the caller. It is
  /// present only in the results of `records/resolve` and `records/accept`, with
  /// ``Reason/participantMayNeedVerification``.
  public var potentialMatches: [PotentialMatch] = []

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
    writer.member("webpageURL", webpageURL)
    if !potentialMatches.isEmpty {
      writer.member("potentialMatchList", array: potentialMatches)
    }
  }
}

extension ErrorDictionary: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Reads an error. An unknown code becomes `INTERNAL_ERROR`.
  public init(json: JSONView) throws(WireError) {
    let code = try json.requiredString("serverErrorCode")
    self.code = ErrorCode(rawValue: code) ?? .internalError
    reason = json["reason"]?.string ?? code
    uuid = json["uuid"]?.string ?? ""
    retryAfterSeconds = json["retryAfter"]?.double.flatMap(Self.wholeSeconds)
    redirectURL = json["redirectURL"]?.string
    userDidResetEncryptedData = json["userDidResetEncryptedData"]?.bool ?? false
    nativeCode = json["ckErrorCode"]?.int64.flatMap { Int(exactly: $0) }
    webpageURL = json["webpageURL"]?.string
    potentialMatches = try json.array("potentialMatchList")
  }

  /// Rounds seconds up to a whole number, and limits them to one day, because the value may come
  /// from any server or proxy. Returns nil if the seconds are negative.
  private static func wholeSeconds(_ seconds: Double) -> Int? {
    seconds < 0 ? nil : Int(min(seconds, 86_400).rounded(.up))
  }
}
