/// An angle on the globe, in degrees.
public typealias CLLocationDegrees = Double
/// A length, in metres.
public typealias CLLocationDistance = Double
/// The uncertainty of a position, in metres. If negative, the position is unknown.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second. If negative, the speed is unknown.
public typealias CLLocationSpeed = Double
/// The uncertainty of a speed, in metres per second. If negative, the speed is unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from north. If negative, the direction is unknown.
public typealias CLLocationDirection = Double
/// The uncertainty of a direction, in degrees. If negative, the direction is unknown.
public typealias CLLocationDirectionAccuracy = Double

/// A latitude and a longitude.
public struct CLLocationCoordinate2D: Sendable {
  /// The degrees north of the equator, from −90 to 90.
  public var latitude: CLLocationDegrees
  /// The degrees east of the prime meridian, from −180 to 180.
  public var longitude: CLLocationDegrees

  /// Creates the coordinate of the point where the equator meets the prime meridian.
  public init() {
    latitude = 0
    longitude = 0
  }

  /// Creates a coordinate. The values are not checked (see ``CLLocationCoordinate2DIsValid(_:)``).
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// An invalid coordinate.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(
  latitude: -180, longitude: -180)

/// Whether the latitude is within ±90° and the longitude within ±180°.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
  abs(coordinate.latitude) <= 90 && abs(coordinate.longitude) <= 180
}

/// Returns a coordinate with the given latitude and longitude.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
