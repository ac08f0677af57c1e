import ArgumentParser
import Foundation
import StratusProgress
import StratusServer
import StratusWire

/// `stratus versions`.
struct VersionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "versions",
    abstract: "Show the kept earlier versions of records, and restore records to an earlier time.",
    discussion: """
      'stratus container configure --version-days' decides for how long earlier versions are kept.
      """,
    subcommands: [Show.self, Restore.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show how many versions a container keeps, and since when.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var place: RoleCommand.Place

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(
        ShowVersions.self,
        .init(containerID: place.container, environment: place.environment))
      if json { return say(json: response) }
      say("version-days \(response.days.map(String.init) ?? "off")")
      guard let since = response.since else { return }
      say("restores reach back to \(UTCTime.text(since))")
      say("versions \(response.count), bytes \(response.bytes)")
      say("deleted zones \(response.deletedZones)")
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restore records to the states that they had at a time.",
      discussion: """
        Without --public and --account, all databases of the container in this environment are \
        restored. Devices get the changes like any other changes. Users, roles, shares and their \
        participants stay as they are. Look at the numbers with --dry-run first. If the command \
        ends early, repeat it.
        """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var place: RoleCommand.Place

    @Option(help: "The time in UTC, e.g. 2026-11-28T14:30:00Z.")
    var at: String

    @Flag(name: .customLong("public"), help: "Restore only the public database.")
    var isPublic = false

    @Option(help: "Restore only the private database of the account with this e-mail address.")
    var account: String?

    @Option(help: "Restore only this zone. It needs --public or --account.")
    var zone: String?

    @Option(help: "Restore only this record. It needs --zone.")
    var record: String?

    @Flag(help: "Only count what would change.")
    var dryRun = false

    @Flag(help: "Confirm the restore.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      guard let time = UTCTime.milliseconds(at) else {
        throw Failure("write the time --at as 2026-11-28T14:30:00Z, in UTC")
      }
      let target: RestoreVersions.Target
      switch (isPublic, account) {
      case (true, nil): target = .publicDatabase
      case (false, let email?): target = .account(email: email)
      case (false, nil): target = .allDatabases
      case (true, .some): throw Failure("give either --public or --account")
      }
      guard dryRun || yes else {
        throw Failure(
          "this changes records for all devices; look at it with --dry-run, and confirm it "
            + "with --yes"
        )
      }
      let request = RestoreVersions.Request(
        containerID: place.container, environment: place.environment, target: target,
        zoneName: zone, recordName: record, time: time, isDryRun: dryRun)
      var total = try await run(request)
      // A deletion may cascade to records that were examined before, and a reference may lead to a
      // record that is restored later. A further round finds these records.
      var (rounds, changed) = (1, total.restored + total.deleted)
      while !dryRun, changed > 0, rounds < Self.roundsMax {
        let again = try await run(request)
        changed = again.restored + again.deleted
        total.restored += again.restored
        total.deleted += again.deleted
        total.refusals = again.refusals
        rounds += 1
      }
      try report(total)
    }

    /// The maximum number of rounds. Users may write while the command runs, so a round may always
    /// find something.
    private static let roundsMax = 6

    /// Runs all steps of one round.
    private func run(
      _ first: RestoreVersions.Request
    ) async throws -> RestoreVersions.Response {
      let line = ProgressLine(now: Live.milliseconds)
      line.begin(dryRun ? "examining" : "restoring", total: nil, unit: .count("records"))
      defer { line.end() }
      var request = first
      var sum = RestoreVersions.Response(
        examined: 0, restored: 0, deleted: 0, refusals: [], position: nil)
      while true {
        let step = try await server.send(RestoreVersions.self, request)
        sum.add(step)
        line.advance(to: sum.examined)
        guard let next = step.position else { return sum }
        request.position = next
      }
    }

    private func report(_ sum: RestoreVersions.Response) throws {
      if json {
        say(json: sum)
      } else {
        let verb = dryRun ? "would be " : ""
        say(
          """
          records examined \(sum.examined), \(verb)restored \(sum.restored), \
          \(verb)deleted \(sum.deleted)
          """)
      }
      if sum.refusals.isEmpty { return }
      for refusal in sum.refusals {
        complain(
          [refusal.code, refusal.reason, "records \(refusal.records)"].compactMap { $0 }
            .joined(separator: "  "))
      }
      throw Failure("records that cannot be restored: \(sum.refusedCount)")
    }
  }
}

extension RestoreVersions.Response {
  fileprivate var refusedCount: Int64 { refusals.reduce(0) { $0 + $1.records } }

  fileprivate mutating func add(_ step: Self) {
    examined += step.examined
    restored += step.restored
    deleted += step.deleted
    for refusal in step.refusals {
      if let index = refusals.firstIndex(where: {
        $0.code == refusal.code && $0.reason == refusal.reason
      }) {
        refusals[index].records += refusal.records
      } else {
        refusals.append(refusal)
      }
    }
  }
}
