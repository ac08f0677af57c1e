import ArgumentParser
import StratusServer
import StratusWire

/// `stratus status`.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of a running server, and the schema parts that production lacks.",
    discussion: """
      A line that begins with "production of" names a record type, field or index that an app \
      needed and that production does not have. To add this part, deploy the schema.
      """)

  @OptionGroup var server: ServerOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    let status = try await server.send(FetchStatus.self, .init())
    if json { return say(json: status) }
    for lack in status.lacks { say(Finding(lack).sentence) }
    let readiness = status.faults.allowRecords ? "ready, but " : ""
    for fault in status.faults {
      switch fault.extent {
      case .everything: say("not ready: \(fault.reason)")
      case .files: say("\(readiness)files are not available: \(fault.reason)")
      case .stores: say("\(readiness)some stores are not available: \(fault.reason)")
      }
    }
    if status.faults.isEmpty { say("ready") }
    say("version \(status.version), up \(Self.duration(status.uptimeSeconds))")
    for container in status.containers {
      let stores = container.stores.map { store in
        "\(store.environment.rawValue) \(Self.size(store.sizeBytes))"
          + (store.isOpen ? "" : " (closed)")
      }
      say("\(container.id) \(stores.isEmpty ? "without data" : stores.joined(separator: ", "))")
    }
  }

  private static func duration(_ seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h"
    default: "\(seconds / 86_400) days"
    }
  }

  private static func size(_ bytes: Int64) -> String {
    switch bytes {
    case ..<1_000_000: "\(bytes / 1_000) kB"
    case ..<1_000_000_000: "\(bytes / 1_000_000) MB"
    default: "\(bytes / 1_000_000_000) GB"
    }
  }
}

/// `stratus doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find the problems of a server and its data, and explain how to repair them.",
    discussion: """
      The command works whether or not the server runs, and changes nothing. Its exit status is 1 \
      if there is a problem. With --url, it shows only what the server reports. With --postgres, \
      it examines an installation in PostgreSQL: the cluster, the nodes, the stores, and the \
      folder --shared. With --assets, it also sends a request to the bucket.
      """)

  @OptionGroup var server: ServerOptions

  @Flag(help: "Read large stores completely, which takes longer.")
  var thorough = false

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup(title: "PostgreSQL")
  var postgres: PostgresPlaceOptions

  func run() async throws {
    var all: [Finding] = []
    let place = try postgres.place(data: server.data, usesAssets: true)
    let bucket = try postgres.bucket()
    if place != nil, server.url != nil {
      throw Failure("give --postgres or --url, not both")
    }
    if server.url == nil {
      if let place {
        all = await PostgresDoctor(place, readsAll: thorough).findings()
      } else {
        let doctor = Doctor(data: server.data.url, readsAll: thorough)
        all = await bucket?.findings(installationID: doctor.installationID) ?? []
        all += doctor.findings()
      }
      // A stopped server is not a problem, because the folder can be examined without it.
      if let status = try? await server.send(FetchStatus.self, .init()) {
        let names = Set(all.map(\.name))
        let own = Self.findings(of: status).filter {
          $0.name == "production-lacks" || !names.contains($0.name)
        }
        all = own + all.filter { $0.name != "production-lacks" }
      } else if place == nil {
        all.append(.note("stopped", "no server runs on the data folder"))
      }
    } else {
      all = Self.findings(of: try await server.send(FetchStatus.self, .init()))
    }
    let findings = Findings(all)
    if json { say(json: findings) } else { Self.print(findings) }
    if findings.hasProblem { throw ExitCode.failure }
  }

  private static func findings(of status: ServerStatus) -> [Finding] {
    status.lacks.map { Finding($0) } + status.faults.map { Finding($0) }
  }

  private static func print(_ findings: Findings) {
    for finding in findings.findings {
      say("\(finding.severity.rawValue): \(finding.sentence)")
      if let fix = finding.fix { say("  fix: \(fix)") }
    }
    if !findings.hasProblem { say("nothing is wrong") }
  }
}
