public import Foundation
import StratusArchive
public import StratusFoundation

/// Sorts records by the distance of a location field from a given location, nearest first.
public final class CKLocationSortDescriptor: NSSortDescriptor, KeyedSortDescriptor {
  /// The location from which distances are measured; its altitude is ignored.
  public let relativeLocation: CLLocation
  /// The name of the location field.
  public let namedKey: String?

  /// Sorts by the distance of the field `key` from a location.
  public init(key: String, relativeLocation: CLLocation) {
    namedKey = key
    self.relativeLocation = relativeLocation
    super.init(keyPath: \NSString.length, ascending: true)
  }

  /// Reads an archived descriptor; nil if it has no key or no location.
  public static func read(from coder: NSCoder) -> NSSortDescriptor? {
    guard let key = coder.string("NSKey"),
      let location = coder.object("RelativeLocation", of: CLLocation.self)
    else { return nil }
    return CKLocationSortDescriptor(key: key, relativeLocation: location)
  }

  /// Archives the descriptor.
  public func write(to coder: NSCoder) {
    coder.encode(present: namedKey.map { $0 as NSString }, forKey: "NSKey")
    coder.encode(relativeLocation, forKey: "RelativeLocation")
  }

  /// Compares records by the distance of their location. Records without a location come first.
  public override func compare(_ first: Any, to second: Any) -> ComparisonResult {
    switch (distance(of: first), distance(of: second)) {
    case (nil, nil): .orderedSame
    case (nil, _): .orderedAscending
    case (_, nil): .orderedDescending
    case (let first?, let second?):
      first < second ? .orderedAscending : first > second ? .orderedDescending : .orderedSame
    }
  }

  private func distance(of object: Any) -> CLLocationDistance? {
    guard let namedKey, let location = (object as? CKRecord)?[namedKey] as? CLLocation else {
      return nil
    }
    return location.distance(from: relativeLocation)
  }

  public override func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKLocationSortDescriptor else { return false }
    return other.namedKey == namedKey
      && relativeLocation.distance(from: other.relativeLocation) == 0
  }

  public override var classForKeyedArchiver: AnyClass? {
    ArchiveName.locationSortDescriptor.standIn
  }

  public override var hash: Int { namedKey.hashValue }
}
