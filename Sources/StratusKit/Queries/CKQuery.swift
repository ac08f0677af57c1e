public import Foundation
import StratusArchive
import StratusFoundation
import Synchronization

/// Which records are wanted, and in which order.
///
/// What CloudKit does not accept in a predicate or a sort descriptor is refused when the query
/// runs.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The type of the records.
  public let recordType: CKRecord.RecordType
  /// What must hold for them.
  ///
  /// NB: not `@NSCopying`: on Linux the copy of an app's own compound is never true.
  public let predicate: NSPredicate
  /// Their order, the first descriptor counting most; nil, the default: the server's own.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { descriptors.withLock { $0.list }?.map(\.copied) }
    set {
      let copies = newValue?.map(\.copied)
      descriptors.withLock { $0.list = copies }
    }
  }

  /// NB: descriptors are no `Sendable` values, but none of these is reached from outside.
  private struct Descriptors: @unchecked Sendable { var list: [NSSortDescriptor]? }

  private let descriptors: Mutex<Descriptors>

  /// Asks for records of a type.
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

  /// Reads an archived query; nil if it names no record type.
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
