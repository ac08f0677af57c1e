import ArgumentParser
import Foundation
import StratusServer

/// The options for Apple's push service. Either all or none of them must be given.
struct APNsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The .p8 key file of the app's team. Without it, Apple's push service is not used.",
      valueName: "file"))
  var apnsKey: String?

  @Option(help: ArgumentHelp("The key's ID, ten letters and digits.", valueName: "id"))
  var apnsKeyID: String?

  @Option(help: ArgumentHelp("The team's ID, ten letters and digits.", valueName: "id"))
  var apnsTeamID: String?

  @Option(help: ArgumentHelp("The app's bundle ID.", valueName: "bundle"))
  var apnsTopic: String?

  /// - Returns: nil if no option is given.
  /// - Throws: `Failure` with a sentence that says what is missing or wrong.
  func access() throws -> APNsAccess? {
    let options = [
      ("--apns-key", apnsKey), ("--apns-key-id", apnsKeyID), ("--apns-team-id", apnsTeamID),
      ("--apns-topic", apnsTopic),
    ]
    if options.allSatisfy({ $0.1 == nil }) { return nil }
    guard let apnsKey, let apnsKeyID, let apnsTeamID, let apnsTopic else {
      let missing = options.filter { $0.1 == nil }.map(\.0).joined(separator: ", ")
      throw Failure("Apple's push service needs \(missing), too")
    }
    do {
      return try APNsAccess(
        keyFile: URL(fileURLWithPath: apnsKey), keyID: apnsKeyID, teamID: apnsTeamID,
        topic: apnsTopic)
    } catch {
      throw Failure("\(error)")
    }
  }
}
