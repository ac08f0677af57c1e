import ArgumentParser
import Foundation
import StratusServer

/// `stratus assets`: manages the place of the bytes of assets.
struct AssetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assets",
    abstract: "Make an installation the owner of a bucket or of a shared folder.",
    subcommands: [Claim.self])

  struct Claim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Claim the bytes of assets in place of a lost installation.",
      discussion: """
        The bucket, or the folder --shared of servers on PostgreSQL, belongs to one installation. \
        A restored backup is a new installation, so its server refuses to start with the bucket \
        of the lost one. With --yes, this command changes the owner. Give it the same --data, \
        --postgres, --shared and --assets as the server, which must not run on this data folder.

        Never claim the bytes of an installation that is still used: its server removes no files \
        any more and does not start again, and the new owner removes the files that it does not \
        know. Give a trial a copy of the bucket.
        """)

    @OptionGroup var data: DataOption

    @Flag(help: "Claim the bytes although they belong to another installation.")
    var yes = false

    @OptionGroup(title: "PostgreSQL")
    var postgres: PostgresOptions

    @OptionGroup(title: "S3")
    var assets: AssetsOptions

    func run() async throws {
      umask(0o077)
      let claim: AssetsClaim
      do {
        claim = try await AssetsClaim.run(
          dataFolder: data.url, postgres: try postgres.access(), s3: try assets.access(),
          replaces: yes)
      } catch {
        throw Failure("\(error)")
      }
      if let earlier = claim.earlierID, earlier != claim.installationID {
        complain("the earlier owner was \(earlier)")
      }
      say("\(claim.place) belongs to \(claim.installationID)")
    }
  }
}
