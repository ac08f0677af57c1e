public import Foundation

/// An error of CloudKit. It wraps an `NSError` of `CKErrorDomain`.
public struct CKError: CustomNSError, Hashable, Error {
  /// The wrapped error.
  public private(set) var _nsError: NSError

  /// Wraps an error of `CKErrorDomain`.
  public init(_nsError: NSError) {
    self._nsError = _nsError
    // NB: this code removes the description that `errorUserInfo` adds. An error that is converted
    // to `NSError` and back is then equal to the original error.
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

  /// The kind of error. Choice: an unknown code number is reported as `internalError`.
  public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

  /// The number of the code.
  public var errorCode: Int { _nsError.code }

  /// Additional information about the error, under keys such as ``CKErrorRetryAfterKey``.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// The `userInfo` of `error as NSError`. Choice: the dictionary always contains a description.
  /// Without a description, Foundation on Linux would show a different text than Apple's systems.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: bareDescription]) { own, _ in own }
  }

  /// The domain of all errors of the framework: ``CKErrorDomain``.
  public static var errorDomain: String { CKErrorDomain }

  /// A sentence for the user: the error's own description, or else the text that Apple's framework
  /// shows.
  public var localizedDescription: String {
    userInfo[NSLocalizedDescriptionKey] as? String ?? bareDescription
  }

  private var bareDescription: String {
    "The operation couldn’t be completed. (\(CKErrorDomain) error \(errorCode).)"
  }
}

extension CKError: CustomStringConvertible {
  /// A text with the name and number of the code, the reason, and the errors of single items.
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
  /// The error of each failed item, by the item's ID, if the code is `partialFailure`; otherwise
  /// nil.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// The last server version that the client knew, if the code is `serverRecordChanged`.
  public var ancestorRecord: CKRecord? {
    userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// The present server version, if the code is `serverRecordChanged`. Merge your changes into this
  /// record.
  public var serverRecord: CKRecord? {
    userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// The record that was to be saved, if the code is `serverRecordChanged`.
  public var clientRecord: CKRecord? {
    userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// The number of seconds after which a retry may succeed; nil if the number is not known.
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
/// The key of the errors of single items. The value is an `[AnyHashable: any Error]`.
public let CKPartialErrorsByItemIDKey: String = "CKPartialErrors"
/// The key of the last server version that the client knew.
public let CKRecordChangedErrorAncestorRecordKey: String = "AncestorRecord"
/// The key of the present server version.
public let CKRecordChangedErrorServerRecordKey: String = "ServerRecord"
/// The key of the record that was to be saved.
public let CKRecordChangedErrorClientRecordKey: String = "ClientRecord"
/// The key of the number of seconds to wait before a retry. The value is an `NSNumber`.
public let CKErrorRetryAfterKey: String = "CKRetryAfter"
/// The key of an `NSNumber` that says whether the zone was deleted because the user reset the
/// encrypted data.
public let CKErrorUserDidResetEncryptedDataKey: String = "CKUserDidResetEncryptedData"
