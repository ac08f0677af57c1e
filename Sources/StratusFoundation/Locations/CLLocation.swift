public import Foundation
import StratusArchive

/// A position on Earth, with the time and the accuracy of its measurement.
///
/// Choice: two locations are equal only if they are the same object, as on Apple's systems. To
/// compare positions, compare coordinates or distances.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The latitude and longitude.
  public let coordinate: CLLocationCoordinate2D
  /// The height above sea level, in metres. It is valid if ``verticalAccuracy`` is positive.
  public let altitude: CLLocationDistance
  /// The radius of uncertainty of the coordinate, in metres. If negative, the coordinate is not
  /// valid.
  public let horizontalAccuracy: CLLocationAccuracy
  /// The uncertainty of the altitude, in metres. If zero or negative, the altitude is not valid.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of travel, in degrees clockwise from north. If negative, it is unknown.
  public let course: CLLocationDirection
  /// The uncertainty of the course, in degrees. If negative, the course is not valid.
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// The speed in metres per second. If negative, it is unknown.
  public let speed: CLLocationSpeed
  /// The uncertainty of the speed, in metres per second. If negative, the speed is not valid.
  public let speedAccuracy: CLLocationSpeedAccuracy
  /// The time of the measurement.
  public let timestamp: Date

  /// Creates a location with all its properties.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
  }

  /// Creates a location with course and speed.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed,
      speedAccuracy: -1, timestamp: timestamp)
  }

  /// Creates a location whose course and speed are not known.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a location with the current time and the horizontal accuracy 0. Its altitude, course
  /// and speed are not known.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: LocationClock.now)
  }

  /// Returns the distance to another location along the Earth's surface, in metres. Altitudes are
  /// ignored.
  ///
  /// Choice: the distance is measured along a great circle of a sphere. The sphere has the Earth's
  /// mean radius, 6,371,008.8 m. The result differs from the distance on the ellipsoid by at most
  /// 0.56 %.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    let radians = Double.pi / 180
    let (here, there) = (coordinate, location.coordinate)
    let latitudeHalf = sin((there.latitude - here.latitude) * radians / 2)
    let longitudeHalf = sin((there.longitude - here.longitude) * radians / 2)
    let chord =
      latitudeHalf * latitudeHalf
      + cos(here.latitude * radians) * cos(there.latitude * radians)
      * longitudeHalf * longitudeHalf
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "<\(coordinate.latitude),\(coordinate.longitude)> +/- \(horizontalAccuracy)m"
      + " (speed \(speed) mps / course \(course)) @ \(timestamp)"
  }

  open override var classForKeyedArchiver: AnyClass? {
    ArchiveName.location.standIn(for: self, of: CLLocation.self)
  }

  public class var supportsSecureCoding: Bool { true }

  /// Reads an archived location. Returns nil if the archive has no coordinate.
  ///
  /// Choice: the keys are those of Apple's class, so that archives of Apple's class can be read.
  public required init?(coder: NSCoder) {
    guard let latitude = coder.number(Key.latitude), let longitude = coder.number(Key.longitude)
    else { return nil }
    coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    altitude = coder.number(Key.altitude) ?? 0
    horizontalAccuracy = coder.number(Key.horizontalAccuracy) ?? 0
    verticalAccuracy = coder.number(Key.verticalAccuracy) ?? -1
    course = coder.number(Key.course) ?? -1
    courseAccuracy = coder.number(Key.courseAccuracy) ?? -1
    speed = coder.number(Key.speed) ?? -1
    speedAccuracy = coder.number(Key.speedAccuracy) ?? -1
    timestamp = Date(timeIntervalSinceReferenceDate: coder.number(Key.timestamp) ?? 0)
  }

  open func encode(with coder: NSCoder) {
    coder.encode(coordinate.latitude, forKey: Key.latitude)
    coder.encode(coordinate.longitude, forKey: Key.longitude)
    coder.encode(altitude, forKey: Key.altitude)
    coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
    coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
    coder.encode(course, forKey: Key.course)
    coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
    coder.encode(speed, forKey: Key.speed)
    coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
    coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
  }

  private enum Key {
    static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
    static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
    static let altitude = "kCLLocationCodingKeyAltitude"
    static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
    static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
    static let course = "kCLLocationCodingKeyCourse"
    static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
    static let speed = "kCLLocationCodingKeySpeed"
    static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
    static let timestamp = "kCLLocationCodingKeyTimestamp"
  }
}

extension NSCoder {
  fileprivate func number(_ key: String) -> Double? {
    containsValue(forKey: key) ? decodeDouble(forKey: key) : nil
  }
}
