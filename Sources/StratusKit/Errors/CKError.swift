public import Foundation

/// An error of CloudKit. It wraps an `NSError` of `CKErrorDomain`.
public struct CKError: CustomNSError, Hashable, Error {
  /// The wrapped error.
  public private(set) var _nsError: NSError

  /// Wraps an error of `CKErrorDomain`.
  public init(_nsError: NSError) {
    self._nsError = _nsError
    // NB: removes the description that `errorUserInfo` adds. An error that is converted to
    // `NSError` and back is then equal to itself.
    guard _nsError.domain == CKErrorDomain,
      userInfo[NSLocalizedDescriptionKey] as? String == bareDescription
    else { return }
    var userInfo = userInfo
    userInfo[NSLocalizedDescriptionKey] = nil
    self._nsError = NSError(domain: CKErrorDomain, code: _nsError.code, userInfo: userInfo)
  }

  /// Makes an error with a code and additional information.
  ///
  /// Errors of the framework have a `localizedDescription` that says what happened and why. An
  /// error that an app makes without a description has the same text as on Apple's systems.
  public init(_ code: CKError.Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The kind of error. Choice: an unknown code number reads as `internalError`.
  public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

  /// The number of the code.
  public var errorCode: Int { _nsError.code }

  /// Additional information about the error, under the keys of this file.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// The `userInfo` of `error as NSError`. Choice: always contains a description. Without one,
  /// Foundation on Linux would show a different text than Apple's systems.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: bareDescription]) { own, _ in own }
  }

  /// The domain of all errors of the framework: ``CKErrorDomain``.
  public static var errorDomain: String { CKErrorDomain }

  /// A sentence for the user: the error's own description, or else Apple's text for an error
  /// without one.
  public var localizedDescription: String {
    userInfo[NSLocalizedDescriptionKey] as? String ?? bareDescription
  }

  private var bareDescription: String {
    "The operation couldn’t be completed. (\(CKErrorDomain) error \(errorCode).)"
  }
}

extension CKError: CustomStringConvertible {
  /// The code by name and number, the reason, and the errors of single items.
  public var description: String {
    let name = Code(rawValue: errorCode)?.name ?? "Unknown Error"
    var parts = ["\"\(name)\" (\(errorCode))"]
    if let reason = userInfo[NSLocalizedDescriptionKey] { parts.append("\"\(reason)\"") }
    if let seconds = retryAfterSeconds { parts.append("retry after \(seconds) s") }
    if let uuid = userInfo["RequestUUID"] { parts.append("uuid = \(uuid)") }
    if let errors = partialErrorsByItemID {
      // Choice: at most ten errors, because a description goes to a log.
      let shown = errors.prefix(10).map { "\($0.key.base) = \($0.value)" }
      let rest = errors.count > shown.count ? ["\(errors.count - shown.count) more"] : []
      parts.append("partial errors: {" + (shown + rest).joined(separator: ", ") + "}")
    }
    return "<CKError: " + parts.joined(separator: "; ") + ">"
  }
}

extension CKError {
  /// With `partialFailure`: the error of each item that failed, by the item's ID.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// With `serverRecordChanged`: the last server version that the client knew.
  public var ancestorRecord: CKRecord? {
    userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the present server version; merge your changes into it.
  public var serverRecord: CKRecord? {
    userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the record that was to be saved.
  public var clientRecord: CKRecord? {
    userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// Seconds after which a retry may succeed.
  public var retryAfterSeconds: Double? {
    switch userInfo[CKErrorRetryAfterKey] {
    case let number as NSNumber: number.doubleValue
    case let seconds as Double: seconds
    case let seconds as Int: Double(seconds)
    default: nil
    }
  }
}

extension CKError.Code {
  /// Whether an error is a `CKError` with this code.
  public static func ~= (match: CKError.Code, error: any Error) -> Bool {
    (error as? CKError)?.code == match
  }
}

extension CKError: _ObjectiveCBridgeable {
  public typealias _ObjectiveCType = NSError

  public func _bridgeToObjectiveC() -> NSError { _nsError }

  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
    result = CKError(_nsError: source)
  }

  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CKError?
  ) -> Bool {
    result = source.domain == CKErrorDomain ? CKError(_nsError: source) : nil
    return result != nil
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
    source.map(CKError.init(_nsError:)) ?? CKError(.internalError)
  }
}

/// The domain of CloudKit's errors.
public let CKErrorDomain: String = "CKErrorDomain"
/// Key of the errors of single items: `[AnyHashable: any Error]`.
public let CKPartialErrorsByItemIDKey: String = "CKPartialErrors"
/// Key of the last server version that the client knew.
public let CKRecordChangedErrorAncestorRecordKey: String = "AncestorRecord"
/// Key of the present server version.
public let CKRecordChangedErrorServerRecordKey: String = "ServerRecord"
/// Key of the record that was to be saved.
public let CKRecordChangedErrorClientRecordKey: String = "ClientRecord"
/// Key of the seconds to wait, an `NSNumber`.
public let CKErrorRetryAfterKey: String = "CKRetryAfter"
/// Key of an `NSNumber` that says whether the zone was deleted because the user reset the encrypted
/// data.
public let CKErrorUserDidResetEncryptedDataKey: String = "CKUserDidResetEncryptedData"
