/// An angle on the globe, in degrees.
public typealias CLLocationDegrees = Double
/// A length, in metres.
public typealias CLLocationDistance = Double
/// The uncertainty of a position, in metres; negative: the position is not known.
public typealias CLLocationAccuracy = Double
/// Metres a second; negative: not known.
public typealias CLLocationSpeed = Double
/// The uncertainty of a speed, in metres a second; negative: not known.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees clockwise from north; negative: not known.
public typealias CLLocationDirection = Double
/// The uncertainty of a direction, in degrees; negative: not known.
public typealias CLLocationDirectionAccuracy = Double

/// A latitude and a longitude.
public struct CLLocationCoordinate2D: Sendable {
  /// Degrees, −90 … 90, north positive.
  public var latitude: CLLocationDegrees
  /// Degrees, −180 … 180, east positive.
  public var longitude: CLLocationDegrees

  /// The point where the equator meets the prime meridian.
  public init() {
    latitude = 0
    longitude = 0
  }

  /// Makes a coordinate. The values are not checked (see ``CLLocationCoordinate2DIsValid(_:)``).
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

/// A coordinate with the given latitude and longitude.
public func CLLocationCoordinate2DMake(
  _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
  CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}
