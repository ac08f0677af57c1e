import Foundation
import StratusTransport

/// An operation that can be saved, and that a later process can restore.
///
/// The operations on zones, records, queries, changes and subscriptions conform to this protocol.
/// For other operations, `isLongLived` has no effect. An app's subclass is restored as the
/// framework's class that it inherits from.
protocol LongLivedOperation: CKDatabaseOperation {
  /// The name of the class on disk, which must never change.
  static var archiveName: String { get }
  /// Archives the operation's properties.
  func write(to coder: NSCoder, keeping files: SavedOperation)
  /// Reads the properties that `write(to:keeping:)` archived.
  func read(from coder: NSCoder, with files: SavedOperation)
}

/// The format of ``SavedOperation/request``.
enum LongLivedArchive {
  private enum Key {
    static let kind = "kind"
    static let scope = "scope"
    static let account = "account"
    static let group = "group"
    static let quality = "qualityOfService"
    static let cellular = "allowsCellularAccess"
    static let request = "timeoutIntervalForRequest"
    static let resource = "timeoutIntervalForResource"
  }

  private static let kinds: [String: @Sendable () -> any LongLivedOperation] = [
    CKFetchDatabaseChangesOperation.archiveName: { CKFetchDatabaseChangesOperation() },
    CKFetchRecordChangesOperation.archiveName: { CKFetchRecordChangesOperation() },
    CKFetchRecordZoneChangesOperation.archiveName: { CKFetchRecordZoneChangesOperation() },
    CKFetchRecordZonesOperation.archiveName: { CKFetchRecordZonesOperation() },
    CKFetchRecordsOperation.archiveName: { CKFetchRecordsOperation() },
    CKFetchSubscriptionsOperation.archiveName: { CKFetchSubscriptionsOperation() },
    CKModifyRecordZonesOperation.archiveName: { CKModifyRecordZonesOperation() },
    CKModifyRecordsOperation.archiveName: { CKModifyRecordsOperation() },
    CKModifySubscriptionsOperation.archiveName: { CKModifySubscriptionsOperation() },
    CKQueryOperation.archiveName: { CKQueryOperation() },
  ]

  /// Saves an operation.
  ///
  /// - Parameter account: identifies the signed-in account; nil if no account is signed in.
  /// - Returns: whether the operation is on disk.
  static func save(
    _ operation: any LongLivedOperation, to saved: SavedOperation, scope: CKDatabase.Scope,
    account: String?
  ) -> Bool {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    coder.encode(type(of: operation).archiveName as NSString, forKey: Key.kind)
    coder.encode(scope.rawValue, forKey: Key.scope)
    coder.encode(present: account.map(NSString.init(string:)), forKey: Key.account)
    coder.encode(present: operation.sharedStarted.group, forKey: Key.group)
    let explicit = operation.resolved
    if let quality = explicit.qualityOfService {
      coder.encode(quality.rawValue, forKey: Key.quality)
    }
    if let allows = explicit.allowsCellularAccess { coder.encode(allows, forKey: Key.cellular) }
    if let seconds = explicit.timeoutIntervalForRequest {
      coder.encode(seconds, forKey: Key.request)
    }
    if let seconds = explicit.timeoutIntervalForResource {
      coder.encode(seconds, forKey: Key.resource)
    }
    operation.write(to: coder, keeping: saved)
    coder.finishEncoding()
    return saved.keep(request: coder.encodedData)
  }

  /// Returns the text that identifies the account of a saved operation; nil if no account was
  /// signed in when the operation was saved.
  static func account(of request: Data) -> String? {
    read(request) { $0.string(Key.account) } ?? nil
  }

  private static func read<Value>(
    _ request: Data, _ body: (NSKeyedUnarchiver) -> Value
  ) -> Value? {
    guard let coder = try? NSKeyedUnarchiver(forReadingFrom: request) else { return nil }
    coder.requiresSecureCoding = true
    defer { coder.finishDecoding() }
    return body(coder)
  }

  /// Restores the operation. The caller has checked the operation's owner, and the owner is checked
  /// again when the operation starts.
  ///
  /// - Returns: nil if the saved operation cannot be read, or if a later version of the framework
  ///   saved it and this version does not know its kind.
  static func make(
    from saved: SavedOperation, in container: CKContainer
  ) -> CKDatabaseOperation? {
    guard let request = saved.request else { return nil }
    return read(request) { make(from: saved, $0, in: container) } ?? nil
  }

  private static func make(
    from saved: SavedOperation, _ coder: NSKeyedUnarchiver, in container: CKContainer
  ) -> CKDatabaseOperation? {
    guard let operation = coder.string(Key.kind).flatMap({ kinds[$0] })?(),
      let scope = coder.integer(Key.scope).flatMap(CKDatabase.Scope.init(rawValue:))
    else { return nil }
    operation.group = coder.object(Key.group, of: CKOperationGroup.self)
    let configuration = CKOperation.Configuration()
    configuration.isLongLived = true
    if let quality = coder.integer(Key.quality).flatMap(QualityOfService.init(rawValue:)) {
      configuration.qualityOfService = quality
    }
    if coder.containsValue(forKey: Key.cellular) {
      configuration.allowsCellularAccess = coder.decodeBool(forKey: Key.cellular)
    }
    if coder.containsValue(forKey: Key.request) {
      configuration.timeoutIntervalForRequest = coder.decodeDouble(forKey: Key.request)
    }
    if coder.containsValue(forKey: Key.resource) {
      configuration.timeoutIntervalForResource = coder.decodeDouble(forKey: Key.resource)
    }
    operation.configuration = configuration
    operation.database = container.database(with: scope)
    operation.read(from: coder, with: saved)
    operation.resume(
      LongLivedSteps(
        saved,
        resumedOf: LongLivedOwner(
          userRecordName: saved.userRecordName, accountDigest: coder.string(Key.account))))
    return operation
  }
}

extension NSCoder {
  /// Archives a list, if there is one.
  func encode<Value: NSObject & NSSecureCoding>(list: [Value]?, forKey key: String) {
    if let list { encode(NSArray(array: list), forKey: key) }
  }

  /// Archives a list of texts, if there is one.
  func encode(texts: [String]?, forKey key: String) {
    encode(list: texts?.map { NSString(string: $0) }, forKey: key)
  }

  /// Reads a list without the members of a wrong type; nil if there is no list.
  func list<Value: NSObject & NSSecureCoding>(_ key: String, of type: Value.Type) -> [Value]? {
    guard containsValue(forKey: key) else { return nil }
    let classes: [AnyClass] = [NSArray.self, type]
    return (decodeObject(of: classes, forKey: key) as? NSArray)?.compactMap { $0 as? Value }
  }

  func texts(_ key: String) -> [String]? {
    list(key, of: NSString.self)?.map { String(describing: $0) }
  }
}
