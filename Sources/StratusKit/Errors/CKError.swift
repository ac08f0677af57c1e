public import Foundation

/// Why something failed; an `NSError` of `CKErrorDomain` seen from Swift.
public struct CKError: CustomNSError, Hashable, Error {
  /// The error it wraps.
  public private(set) var _nsError: NSError

  /// Wraps an error of `CKErrorDomain`.
  public init(_nsError: NSError) {
    self._nsError = _nsError
    // NB: what `errorUserInfo` adds is taken away again, so that an error that was an `NSError` in
    // between is equal to itself.
    guard _nsError.domain == CKErrorDomain,
      userInfo[NSLocalizedDescriptionKey] as? String == bareDescription
    else { return }
    var userInfo = userInfo
    userInfo[NSLocalizedDescriptionKey] = nil
    self._nsError = NSError(domain: CKErrorDomain, code: _nsError.code, userInfo: userInfo)
  }

  /// An error of a code, with what else there is to know.
  ///
  /// Errors of the framework have a `localizedDescription` that says what happened and why. One
  /// that an app makes without a description reads as on Apple's systems.
  public init(_ code: CKError.Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The kind of error. Choice: a number that is no code of ours reads as `internalError`.
  public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

  /// The number of the code.
  public var errorCode: Int { _nsError.code }

  /// What else there is to know, by the keys of this file.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// The `userInfo` of `error as NSError`. Choice: with the description also of an error made
  /// without one, since Foundation on Linux would put it in other words.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: bareDescription]) { own, _ in own }
  }

  public static var errorDomain: String { CKErrorDomain }

  /// A sentence for people: the one the error was made with, else Apple's for an error without one.
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
      // Choice: ten of them, since a description goes to a log.
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

  /// With `serverRecordChanged`: the record as the client last knew it from the server.
  public var ancestorRecord: CKRecord? {
    userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the record the server has; merge into this one.
  public var serverRecord: CKRecord? {
    userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the record that was to be saved.
  public var clientRecord: CKRecord? {
    userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// Seconds after which a repetition may succeed.
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
  /// Whether an error is a `CKError` of a code.
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
/// Key of the record as the client last knew it from the server.
public let CKRecordChangedErrorAncestorRecordKey: String = "AncestorRecord"
/// Key of the record the server has.
public let CKRecordChangedErrorServerRecordKey: String = "ServerRecord"
/// Key of the record that was to be saved.
public let CKRecordChangedErrorClientRecordKey: String = "ClientRecord"
/// Key of the seconds to wait, an `NSNumber`.
public let CKErrorRetryAfterKey: String = "CKRetryAfter"
/// Key of whether a zone is gone because the user reset encrypted data, an `NSNumber`.
public let CKErrorUserDidResetEncryptedDataKey: String = "CKUserDidResetEncryptedData"
