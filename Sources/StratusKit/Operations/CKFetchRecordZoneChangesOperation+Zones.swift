public import Foundation
import StratusArchive

extension CKFetchRecordZoneChangesOperation {
  /// The settings for fetching the changes of one zone, such as the position to continue from.
  public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration
  /// Apple has deprecated this name in favour of ``ZoneConfiguration``.
  public typealias ZoneOptions = CKFetchRecordZoneChangesOptions
}

/// The settings for fetching a zone's changes. Apps use the two subclasses of this class.
///
/// NB: the class is not nested in the operation, because a nested class cannot be archived on
/// Linux.
open class CKFetchRecordZoneChangesSelection: NSObject, NSSecureCoding, NSCopying,
  @unchecked Sendable
{
  /// The change token of the last fetch; nil, the default, fetches from the beginning.
  public var previousServerChangeToken: CKServerChangeToken?
  /// The maximum number of records in one page; 0, the default, lets the server decide.
  public var resultsLimit = 0
  /// The fields to fetch. The default nil means all fields, and an empty array means no fields.
  public var desiredKeys: [CKRecord.FieldKey]?

  private enum Key {
    static let token = "previousServerChangeToken"
    static let limit = "resultsLimit"
    static let keys = "desiredKeys"
  }

  /// Makes settings that select all fields of all changes from the beginning.
  public required override init() { super.init() }

  open override var classForKeyedArchiver: AnyClass? {
    ArchiveName.zoneChangesSelection.standIn(for: self, of: CKFetchRecordZoneChangesSelection.self)
  }

  public static var supportsSecureCoding: Bool { true }

  /// Reads the settings from an archive.
  public required init?(coder: NSCoder) {
    // NB: decoding an absent key aborts the process.
    if coder.containsValue(forKey: Key.token) {
      previousServerChangeToken = coder.decodeObject(
        of: CKServerChangeToken.self, forKey: Key.token)
    }
    resultsLimit = coder.decodeInteger(forKey: Key.limit)
    if coder.containsValue(forKey: Key.keys) {
      desiredKeys =
        coder.decodeObject(of: [NSArray.self, NSString.self], forKey: Key.keys) as? [String]
    }
    super.init()
  }

  /// Writes the settings to an archive.
  public func encode(with coder: NSCoder) {
    if let previousServerChangeToken {
      coder.encode(previousServerChangeToken, forKey: Key.token)
    }
    coder.encode(resultsLimit, forKey: Key.limit)
    if let desiredKeys {
      coder.encode(desiredKeys.map { $0 as NSString } as NSArray, forKey: Key.keys)
    }
  }

  /// Returns an independent copy of the settings.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self()
    copy.previousServerChangeToken = previousServerChangeToken
    copy.resultsLimit = resultsLimit
    copy.desiredKeys = desiredKeys
    return copy
  }
}

/// The settings for fetching the changes of one zone: the position to continue from, the page size
/// and the fields. Swift code uses the name `CKFetchRecordZoneChangesOperation.ZoneConfiguration`.
open class CKFetchRecordZoneChangesConfiguration: CKFetchRecordZoneChangesSelection,
  @unchecked Sendable
{
  /// Makes a configuration.
  ///
  /// - Parameter resultsLimit: the maximum number of records in one page; nil lets the server
  ///   decide.
  public convenience init(
    previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil
  ) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
    self.resultsLimit = resultsLimit ?? 0
    self.desiredKeys = desiredKeys
  }

  open override var classForKeyedArchiver: AnyClass? {
    ArchiveName.zoneChangesConfiguration.standIn(
      for: self, of: CKFetchRecordZoneChangesConfiguration.self)
  }
}

/// The older class of these settings, which Apple has deprecated. Swift code uses the name
/// `CKFetchRecordZoneChangesOperation.ZoneOptions`.
open class CKFetchRecordZoneChangesOptions: CKFetchRecordZoneChangesSelection,
  @unchecked Sendable
{
  open override var classForKeyedArchiver: AnyClass? {
    ArchiveName.zoneChangesOptions.standIn(for: self, of: CKFetchRecordZoneChangesOptions.self)
  }
}
