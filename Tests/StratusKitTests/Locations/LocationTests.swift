import CoreLocation
import Testing

@Suite struct Locations {
  @Test func `a latitude is valid within 90 degrees and a longitude within 180`() {
    #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 90, longitude: -180)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 90.1, longitude: 0)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: 0, longitude: 181)))
    #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: .nan, longitude: 0)))
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
  }

  @Test func `a location made from a coordinate has neither course nor speed`() {
    let place = CLLocation(latitude: 1, longitude: 2)
    #expect(place.horizontalAccuracy == 0)
    #expect(place.verticalAccuracy == -1)
    #expect(place.course == -1)
    #expect(place.speed == -1)
    #expect(place.altitude == 0)
    #expect(place.timestamp > Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test func `one degree of longitude at the equator is a 360th of the equator's length`() {
    let here = CLLocation(latitude: 0, longitude: 0)
    let there = CLLocation(latitude: 0, longitude: 1)
    let expected = 2 * Double.pi * 6_371_008.8 / 360
    #expect(abs(here.distance(from: there) - expected) < 0.001)
    #expect(here.distance(from: here) == 0)
    let antipode = CLLocation(latitude: 0, longitude: 180)
    #expect(abs(here.distance(from: antipode) - expected * 180) < 0.01)
  }

  @Test func `an archive keeps every property of a location`() throws {
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.4), altitude: 34,
      horizontalAccuracy: 5, verticalAccuracy: 6, course: 90, courseAccuracy: 2, speed: 1.5,
      speedAccuracy: 0.5, timestamp: Date(timeIntervalSince1970: 1234.5))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: place, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data))
    #expect(read.coordinate.latitude == 52.5)
    #expect(read.coordinate.longitude == 13.4)
    #expect(read.altitude == 34)
    #expect(read.horizontalAccuracy == 5)
    #expect(read.verticalAccuracy == 6)
    #expect(read.course == 90)
    #expect(read.courseAccuracy == 2)
    #expect(read.speed == 1.5)
    #expect(read.speedAccuracy == 0.5)
    #expect(read.timestamp == Date(timeIntervalSince1970: 1234.5))
  }

  @Test func `two locations are equal only if they are the same object`() {
    let place = CLLocation(latitude: 1, longitude: 2)
    #expect(place == (place.copy() as? CLLocation))
    #expect(place != CLLocation(latitude: 1, longitude: 2))
  }
}
