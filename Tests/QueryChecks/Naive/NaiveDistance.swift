import Foundation
import StratusWire

/// Distances on a sphere with the mean radius of the Earth.
enum NaiveDistance {
  /// The radius in metres.
  static let radius = 6_371_008.8
  /// The allowed rounding error of a distance, in metres. ``isNear(_:_:metres:)`` also allows a
  /// billionth of the distance.
  static let rounding = 0.001
  /// If two distances differ by at most this number of metres, either order is correct.
  static let openOrder = 0.02

  /// The distance in metres by the haversine formula.
  static func between(_ left: Place, _ right: Location) -> Double {
    let (latitude, other) = (left.latitude * .pi / 180, right.latitude * .pi / 180)
    let east = (right.longitude - left.longitude) * .pi / 180
    let north = sin((other - latitude) / 2)
    let across = sin(east / 2)
    let haversine = north * north + cos(latitude) * cos(other) * across * across
    return 2 * radius * asin(min(1, haversine.squareRoot()))
  }

  /// Whether a location is nearer to a place than this number of metres.
  static func isNear(_ place: Place, _ location: Location, metres: Double) -> Truth {
    let distance = between(place, location)
    // The distance from a place to itself is 0 in every formula.
    if distance == 0 { return metres > 0 ? .yes : .no }
    let slack = rounding + distance * 1e-9
    if abs(distance - metres) <= slack { return .open }
    return distance < metres ? .yes : .no
  }
}

/// Whether a condition is true. The case `open` means that rounding decides the result.
enum Truth: Int, Sendable, Comparable {
  case no, open, yes

  init(_ holds: Bool) { self = holds ? .yes : .no }

  static func < (left: Truth, right: Truth) -> Bool { left.rawValue < right.rawValue }

  static prefix func ! (truth: Truth) -> Truth {
    switch truth {
    case .no: .yes
    case .open: .open
    case .yes: .no
    }
  }
}
