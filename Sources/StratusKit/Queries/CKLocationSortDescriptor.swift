public import Foundation
public import StratusFoundation

/// Sorts records by the distance of a place they hold, nearest first.
public final class CKLocationSortDescriptor: KeySortDescriptor, @unchecked Sendable {
  /// The place from which distances are measured; its altitude does not count.
  public let relativeLocation: CLLocation

  /// Sorts by the distance of the field `key` to a place.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    super.init(naming: key, ascending: true)
  }

  /// Reads an archived descriptor; nil if it names no key or no place.
  public override class func read(from coder: NSCoder) -> KeySortDescriptor? {
    guard let key = super.read(from: coder)?.key,
      let location = coder.object("RelativeLocation", of: CLLocation.self)
    else { return nil }
    return CKLocationSortDescriptor(key: key, relativeLocation: location)
  }

  public override func write(to coder: NSCoder) {
    super.write(to: coder)
    coder.encode(relativeLocation, forKey: "RelativeLocation")
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKLocationSortDescriptor else { return false }
    return super.isEqual(other)
      && relativeLocation.distance(from: other.relativeLocation) == 0
  }
}
