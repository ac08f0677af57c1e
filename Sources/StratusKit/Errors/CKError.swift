public import Foundation

/// Why something failed; an `NSError` of `CKErrorDomain` seen from Swift.
public struct CKError: CustomNSError, Hashable, Error {
  /// The error it wraps.
  public let _nsError: NSError

  /// Wraps an error of `CKErrorDomain`.
  public init(_nsError: NSError) { self._nsError = _nsError }

  /// An error of a code, with what else there is to know.
  public init(_ code: CKError.Code, userInfo: [String: Any] = [:]) {
    _nsError = NSError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The kind of error. Choice: a number that is no code of ours reads as `internalError`.
  public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

  /// The number of the code.
  public var errorCode: Int { _nsError.code }

  /// What else there is to know, by the keys of this file.
  public var userInfo: [String: Any] { _nsError.userInfo }

  public var errorUserInfo: [String: Any] { _nsError.userInfo }

  public static var errorDomain: String { CKErrorDomain }

  /// A sentence for people: what the error was made with, else what its code means.
  public var localizedDescription: String {
    userInfo[NSLocalizedDescriptionKey] as? String ?? code.sentence
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
