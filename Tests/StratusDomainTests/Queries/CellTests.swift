import StratusWire
import Testing

@testable import StratusDomain

/// Cells of the Earth's surface, and their distances.
@Suite struct Cells {
  private static let places = [
    Location(latitude: 0, longitude: 0), Location(latitude: 90, longitude: 0),
    Location(latitude: -90, longitude: 77), Location(latitude: 60.17, longitude: 24.94),
    Location(latitude: -33.9, longitude: 180), Location(latitude: -33.9, longitude: -180),
    Location(latitude: 89.9, longitude: -135), Location(latitude: 0.001, longitude: 179.999),
  ]

  private static func random(_ chance: inout RepeatedChance) -> Location {
    Location(
      latitude: Double.random(in: -90...90, using: &chance),
      longitude: Double.random(in: -180...180, using: &chance))
  }

  private static func cell(_ code: UInt64, level: Int) -> Cell {
    level == 0
      ? .world : Cell(code: code & ~(UInt64.max >> UInt64(2 * level)), level: level)
  }

  @Test func `the cell of a location's code contains the location`() {
    var chance = RepeatedChance(seed: 3)
    for place in Self.places + (0..<500).map({ _ in Self.random(&chance) }) {
      let code = Cell.code(of: place)
      for level in 0...32 {
        let cell = level == 32 ? Cell(code: code, level: 32) : Self.cell(code, level: level)
        let (south, north) = cell.latitudes
        let (west, east) = cell.longitudes
        #expect((south...north).contains(place.latitude), "\(place) \(level)")
        #expect((west...east).contains(place.longitude), "\(place) \(level)")
        #expect(cell.code <= code && code <= cell.lastCode)
      }
      #expect(place.distance(to: Cell.centre(of: code)) < 0.01)
    }
  }

  @Test
  func `the distance to a location in a cell is between the cell's least and greatest distance`() {
    var chance = RepeatedChance(seed: 11)
    for _ in 0..<3_000 {
      let from = Self.places.randomElement(using: &chance) ?? Self.random(&chance)
      let cell = Self.cell(chance.next(), level: Int.random(in: 0...20, using: &chance))
      let (least, greatest) = cell.distances(from: from)
      let (south, north) = cell.latitudes
      let (west, east) = cell.longitudes
      for _ in 0..<8 {
        let corner = Bool.random(using: &chance)
        let place = Location(
          latitude: corner ? south : Double.random(in: south...north, using: &chance),
          longitude: Double.random(in: west...east, using: &chance))
        let metres = from.distance(to: place)
        #expect(least <= metres && metres <= greatest, "\(from) \(cell) \(place)")
      }
      #expect(least <= greatest)
    }
  }

  @Test func `a covering of a circle contains all locations in the circle`() {
    var chance = RepeatedChance(seed: 19)
    for radius in [0.5, 5_000, 700_000, 15_000_000, 30_000_000] {
      for centre in Self.places {
        let pieces = Cell.covering(centre, within: radius)
        #expect(pieces.count <= 20)
        for (left, right) in zip(pieces, pieces.dropFirst()) {
          #expect(left.lastCode < right.code)
        }
        let spread = min(radius / 111_195 * 1.2, 90)
        for _ in 0..<200 {
          let place = Location(
            latitude: min(
              90, max(-90, centre.latitude + Double.random(in: -spread...spread, using: &chance))),
            longitude: Double.random(in: -180...180, using: &chance))
          guard place.distance(to: centre) < radius else { continue }
          let code = Cell.code(of: place)
          #expect(pieces.contains { $0.code <= code && code <= $0.lastCode }, "\(centre) \(place)")
        }
        let own = Cell.code(of: centre)
        #expect(pieces.contains { $0.code <= own && own <= $0.lastCode })
      }
    }
  }

  @Test func `one degree at the equator is 111,195 metres`() {
    let metres = Location(latitude: 0, longitude: 179.5)
      .distance(to: Location(latitude: 0, longitude: -179.5))
    #expect(abs(metres - 111_195.08) < 0.01)
  }
}
