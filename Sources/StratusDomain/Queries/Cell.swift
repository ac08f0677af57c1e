import Foundation
import StratusWire

/// A cell of the Earth, between two circles of latitude and two meridians. Level 0 is the whole
/// Earth. Each level splits a cell into quarters, down to 32 bits of latitude and of longitude.
///
/// The code of a location interleaves the bits of its latitude and longitude, so that the codes of
/// a cell are one contiguous range.
struct Cell: Sendable, Hashable {
  /// The first code in the cell.
  var code: UInt64
  var level: Int

  static let world = Cell(code: 0, level: 0)
  static let levelMax = 32

  /// Returns the code of the smallest cell around a location.
  static func code(of location: Location) -> UInt64 {
    interleave(part(location.latitude + 90, of: 180), part(location.longitude + 180, of: 360))
  }

  /// Returns the centre of the cell with a code of the finest level. Sorting treats every location
  /// in the cell as if the location were in the centre.
  static func centre(of code: UInt64) -> Location {
    let cell = Cell(code: code, level: levelMax)
    let (south, north) = cell.latitudes
    let (west, east) = cell.longitudes
    return Location(latitude: (south + north) / 2, longitude: (west + east) / 2)
  }

  /// The last code in the cell.
  var lastCode: UInt64 { level == 0 ? .max : code | (UInt64.max >> UInt64(2 * level)) }

  /// The four quarters of the cell. A smallest cell has no quarters.
  var quarters: [Cell] {
    if level == Self.levelMax { return [] }
    let shift = UInt64(62 - 2 * level)
    return (0..<4).map { Cell(code: code | $0 << shift, level: level + 1) }
  }

  /// The southern and northern bounds of the cell in degrees.
  var latitudes: (south: Double, north: Double) {
    let (from, to) = bounds(Self.collect(code >> 1), degrees: 180)
    return (from - 90, to - 90)
  }

  /// The western and eastern bounds of the cell in degrees.
  var longitudes: (west: Double, east: Double) {
    let (from, to) = bounds(Self.collect(code), degrees: 360)
    return (from - 180, to - 180)
  }

  private func bounds(_ part: UInt32, degrees: Double) -> (Double, Double) {
    let step = degrees / 4_294_967_296
    let width = Double(UInt64(1) << UInt64(Self.levelMax - level))
    return (Double(part) * step, (Double(part) + width) * step)
  }

  private static func part(_ degrees: Double, of all: Double) -> UInt32 {
    UInt32(min(max((degrees / all * 4_294_967_296).rounded(.down), 0), 4_294_967_295))
  }

  private static func interleave(_ latitude: UInt32, _ longitude: UInt32) -> UInt64 {
    spread(latitude) << 1 | spread(longitude)
  }

  /// Returns the bits of a number, with a zero bit before each.
  private static func spread(_ number: UInt32) -> UInt64 {
    var bits = UInt64(number)
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    bits = (bits | bits << 1) & 0x5555_5555_5555_5555
    return bits
  }

  private static func collect(_ code: UInt64) -> UInt32 {
    var bits = code & 0x5555_5555_5555_5555
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits >> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
    bits = (bits | bits >> 16) & 0x0000_0000_FFFF_FFFF
    return UInt32(truncatingIfNeeded: bits)
  }
}

extension Location {
  /// Returns the distance to another location in metres. The distance is that of the great circle
  /// on a sphere of the Earth's mean radius, as in `CLLocation` of StratusFoundation.
  func distance(to other: Location) -> Double {
    Sphere.distance(
      latitude, other.latitude, longitudeDifference: other.longitude - longitude)
  }
}

/// The sphere on which queries measure distances.
enum Sphere {
  private static let radius = 6_371_008.8

  /// Returns the distance in metres. All arguments are in degrees.
  static func distance(
    _ from: Double, _ to: Double, longitudeDifference: Double
  ) -> Double {
    let radians = Double.pi / 180
    let latitudeHalf = sin((to - from) * radians / 2)
    let longitudeHalf = sin(longitudeDifference * radians / 2)
    let chord =
      latitudeHalf * latitudeHalf + cos(from * radians) * cos(to * radians) * longitudeHalf
      * longitudeHalf
    return 2 * radius * asin(min(1, chord.squareRoot()))
  }
}

extension Cell {
  /// Returns a lower and an upper bound of the distance from a location to any point of the cell,
  /// in metres.
  ///
  /// On one circle of latitude, the distance grows with the difference in longitude. The extremes
  /// therefore lie on the meridians of the least and the greatest difference. Along a meridian, the
  /// distance has at most one minimum and one maximum, at known latitudes.
  func distances(from location: Location) -> (least: Double, greatest: Double) {
    let (west, east) = longitudes
    let toWest = Self.difference(location.longitude, west)
    let toEast = Self.difference(location.longitude, east)
    let isBeside = location.longitude < west || location.longitude > east
    let least = isBeside ? min(toWest, toEast) : 0
    let opposite = location.longitude > 0 ? location.longitude - 180 : location.longitude + 180
    let reachesOpposite = (west...east).contains(opposite)
    let greatest = reachesOpposite ? 180 : max(toWest, toEast)
    // NB: a tolerance of one micrometre ensures that rounding never puts a location outside the
    // bounds.
    return (
      max(0, extreme(location, longitudeDifference: least).least - 1e-6),
      extreme(location, longitudeDifference: greatest).greatest + 1e-6
    )
  }

  private func extreme(
    _ location: Location, longitudeDifference: Double
  ) -> (least: Double, greatest: Double) {
    let (south, north) = latitudes
    let radians = Double.pi / 180
    let turn =
      atan2(
        sin(location.latitude * radians),
        cos(location.latitude * radians) * cos(longitudeDifference * radians)) / radians
    var candidates = [south, north]
    for latitude in [turn, turn + 180, turn - 180] where latitude > south && latitude < north {
      candidates.append(latitude)
    }
    var least = Double.infinity
    var greatest = 0.0
    for latitude in candidates {
      let distance = Sphere.distance(
        location.latitude, latitude, longitudeDifference: longitudeDifference)
      least = min(least, distance)
      greatest = max(greatest, distance)
    }
    return (least, greatest)
  }

  /// Returns the difference between two meridians in degrees, which is at most 180.
  private static func difference(_ left: Double, _ right: Double) -> Double {
    let difference = abs(left - right)
    return min(difference, 360 - difference)
  }

  /// Returns cells that together cover the circle around a location, sorted by code.
  static func covering(_ location: Location, within metres: Double) -> [Cell] {
    var pieces = [Cell.world]
    // Sixteen cells cover about a fifth more than the circle. More cells would fit better, but each
    // cell costs a seek.
    while pieces.count < 16 {
      guard
        let widest = pieces.indices.min(by: { pieces[$0].level < pieces[$1].level }),
        pieces[widest].level < levelMax
      else { break }
      let piece = pieces[widest]
      if piece.distances(from: location).greatest < metres { break }
      let near = piece.quarters.filter { $0.distances(from: location).least < metres }
      pieces.remove(at: widest)
      pieces.append(contentsOf: near)
      if pieces.isEmpty { return [] }
      let size = (pieces[0].latitudes.north - pieces[0].latitudes.south) * 111_195
      if pieces.count >= 4, size < metres / 8 { break }
    }
    return pieces.sorted { $0.code < $1.code }
  }
}
