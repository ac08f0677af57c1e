import ArgumentParser
import StratusWire

/// `create-zone`.
struct CreateZoneVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create-zone",
    abstract: "Create a custom zone in a private database. Apple's tool has no such verb.")

  @OptionGroup var database: CloudKitToolDatabase

  func run() async throws { try await database.modifyZone(.create) }
}

/// `delete-zone`.
struct DeleteZoneVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-zone",
    abstract: """
      Delete a custom zone of a private database with all its records. Apple's tool has no \
      such verb.
      """)

  @OptionGroup var database: CloudKitToolDatabase

  @Flag(name: [.short, .long], help: "Delete without confirmation.")
  var yes = false

  func run() async throws {
    try confirm(
      "Delete the zone '\(database.zoneName)' and all its records?", isAnswered: yes)
    try await database.modifyZone(.delete)
  }
}

extension CloudKitToolDatabase {
  /// Creates or deletes the zone of `--zone-name`.
  ///
  /// - Throws: ``Failure``, also if `--zone-name` is missing.
  fileprivate func modifyZone(_ kind: ModifyZones.Operation.Kind) async throws {
    guard zoneName != ZoneID.defaultZoneName else {
      throw Failure("give --zone-name; the default zone cannot be created or deleted")
    }
    let response = try await send(
      ModifyZones.self, .init(operations: [ModifyZones.Operation(kind, zoneID)]),
      isIdempotent: false)
    if case .failure(_, let error) = response.zones.first {
      throw Failure("\(error.code.rawValue): \(error.reason)")
    }
  }
}
