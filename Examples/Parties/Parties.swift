import CloudKit
import CoreLocation

/// The party guide of the talk "Advanced CloudKit", as a terminal program.
@main
struct Parties {
  static let usage = """
    usage: Parties COMMAND
      add NAME DESCRIPTION LATITUDE LONGITUDE [RADIUS] [PHOTO]
                               announce a party that is heard RADIUS metres far (default: 100)
      list                     list all parties by name
      near LATITUDE LONGITUDE  list the parties within 5 km, nearest first
      search WORD…             list the parties whose name or description has these words
      show NAME [FILE]         show a party, and copy its photo to FILE
      remove NAME              cancel a party
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as CKError {
      fail(error.explanation)
    } catch let error as UsageError {
      fail(error.description)
    } catch {
      fail("That did not work: \(error.localizedDescription)")
    }
  }

  static func run(_ arguments: [String]) async throws {
    let guide = Guide()
    switch (arguments.first, Array(arguments.dropFirst())) {
    case ("add", let words) where (4...6).contains(words.count):
      let party = Party(
        name: words[0], summary: words[1], location: try location(words[2], words[3]),
        radius: try words.count > 4 ? number(words[4], "RADIUS") : 100)
      if words.count > 5 { party.photo = URL(fileURLWithPath: words[5]) }
      try await guide.add(party)
      print("announced \(party.line())")
    case ("list", []): show(try await guide.all())
    case ("near", let words) where words.count == 2:
      let here = try location(words[0], words[1])
      show(try await guide.near(here), from: here)
    case ("search", let words) where !words.isEmpty:
      show(try await guide.search(words.joined(separator: " ")))
    case ("show", let words) where (1...2).contains(words.count):
      let party = try await guide.party(named: words[0])
      print(party.line())
      if words.count > 1 { try copyPhoto(of: party, to: URL(fileURLWithPath: words[1])) }
    case ("remove", let words) where words.count == 1:
      try await guide.remove(try await guide.party(named: words[0]))
      print("called off")
    default: throw UsageError(usage)
    }
  }

  static func show(_ parties: [Party], from here: CLLocation? = nil) {
    if parties.isEmpty { return print("none yet") }
    for party in parties { print(party.line(from: here)) }
    print("\(parties.count) \(parties.count == 1 ? "party" : "parties")")
  }

  static func copyPhoto(of party: Party, to file: URL) throws {
    guard let photo = party.photo else { throw UsageError("The party has no photo.") }
    try? FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: photo, to: file)
    print("its photo is in \(file.path)")
  }

  static func location(_ latitude: String, _ longitude: String) throws -> CLLocation {
    let location = CLLocation(
      latitude: try number(latitude, "LATITUDE"), longitude: try number(longitude, "LONGITUDE"))
    guard CLLocationCoordinate2DIsValid(location.coordinate) else {
      throw UsageError("A latitude lies between -90 and 90, a longitude between -180 and 180.")
    }
    return location
  }

  static func number(_ text: String, _ name: String) throws -> Double {
    guard let number = Double(text) else {
      throw UsageError("\(name) must be a number, not '\(text)'.")
    }
    return number
  }

  static func fail(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
  }
}

/// A sentence for the user about wrong input.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension CKError {
  /// A description of the error and of a remedy, for the user.
  var explanation: String {
    switch code {
    case .notAuthenticated:
      return "Nobody is signed in. Set STRATUS_API_TOKEN and STRATUS_WEB_AUTH_TOKEN."
    case .networkUnavailable, .networkFailure:
      return "The server cannot be reached. Check STRATUS_URL, and try again."
    case .badContainer: return "The server does not know this app. Check STRATUS_CONTAINER."
    case .permissionFailure: return "Only the user who announced a party can cancel it."
    case .assetFileNotFound: return "There is no photo with that path."
    case .assetNotAvailable: return "The photo is not available at the moment. Try again later."
    case .invalidArguments: return "The server refused that: \(localizedDescription)"
    default: return localizedDescription
    }
  }
}
