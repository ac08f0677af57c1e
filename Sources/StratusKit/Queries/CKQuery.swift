public import Foundation
import StratusArchive
import StratusFoundation
import Synchronization

/// Describes which records to find, and their order.
///
/// A predicate or sort descriptor that CloudKit does not support is rejected when the query runs.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The type of the records.
  public let recordType: CKRecord.RecordType
  /// The condition that the records must satisfy.
  ///
  /// NB: the property is not `@NSCopying`. On Linux, `copy()` turns an app's compound predicate
  /// into a predicate that is never true.
  public let predicate: NSPredicate
  /// The order of the records; the first descriptor is the most significant. nil, the default,
  /// means the server's own order.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { descriptors.withLock { $0.list }?.map(\.copied) }
    set {
      let copies = newValue?.map(\.copied)
      descriptors.withLock { $0.list = copies }
    }
  }

  /// NB: sort descriptors are not `Sendable`, but these private copies are not reachable from
  /// outside.
  private struct Descriptors: @unchecked Sendable { var list: [NSSortDescriptor]? }

  private let descriptors: Mutex<Descriptors>

  /// Makes a query for records of a type.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    self.recordType = recordType
    self.predicate = predicate.independentCopy
    descriptors = Mutex(Descriptors())
  }

  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuery(recordType: recordType, predicate: predicate)
    copy.sortDescriptors = sortDescriptors
    return copy
  }

  public override var description: String {
    "<CKQuery: recordType=\(recordType), predicate=\(predicate)>"
  }

  public override var classForKeyedArchiver: AnyClass? { ArchiveName.query.standIn }

  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived query; nil if the archive has no record type or no predicate.
  public init?(coder: NSCoder) {
    guard let recordType = coder.string("RecordType"),
      let predicate = coder.object("Predicate", of: NSPredicate.self)
    else { return nil }
    self.recordType = recordType
    self.predicate = predicate
    let kinds: [AnyClass] = [NSArray.self, NSSortDescriptor.self]
    let list =
      coder.containsValue(forKey: "SortDescriptors")
      ? coder.decodeObject(of: kinds, forKey: "SortDescriptors") as? [NSSortDescriptor] : nil
    descriptors = Mutex(Descriptors(list: list))
    super.init()
  }

  public func encode(with coder: NSCoder) {
    coder.encode(recordType as NSString, forKey: "RecordType")
    coder.encode(predicate, forKey: "Predicate")
    if let sortDescriptors {
      coder.encode(NSArray(array: sortDescriptors), forKey: "SortDescriptors")
    }
  }
}

extension NSSortDescriptor {
  fileprivate var copied: NSSortDescriptor { (copy() as? NSSortDescriptor) ?? self }
}
