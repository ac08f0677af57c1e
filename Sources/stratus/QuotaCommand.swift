import ArgumentParser
import StratusWire

/// `stratus quota`.
struct QuotaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quota", abstract: "Show and set the quotas of databases.",
    discussion: """
      A quota limits the bytes of records and files. The public database has one quota. The \
      private database of each user has a quota, which also counts the records that others write \
      to the user's shares.
      """,
    subcommands: [Show.self, Set.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the bytes of the public database and of the largest users, with quotas.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var place: RoleCommand.Place

    @Option(help: "The e-mail address of the account whose private database is shown.")
    var account: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let response = try await server.send(
        ShowQuota.self,
        .init(containerID: place.container, environment: place.environment, email: account))
      if json { return say(json: response) }
      let name = account ?? "public database"
      say("\(name): \(ByteCount.shown(response.usedBytes, of: response.quotaBytes))")
      for type in response.types {
        say(
          "  \(type.recordType): \(type.records) records, \(type.recordBytes) bytes, "
            + "\(type.assetBytes) bytes of files")
      }
      if account != nil { return }
      say("each user: \(response.userQuotaBytes.map { "at most \($0) bytes" } ?? "no limit")")
      for user in response.users {
        say(
          "  \(user.email ?? user.userRecordName): "
            + ByteCount.shown(user.usedBytes, of: user.quotaBytes))
      }
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the quota of the public database, of each user, or of one account.",
      discussion: """
        Give one of --public, --each-user and --account. If a database already has more bytes, \
        nothing is deleted, but saves that need more bytes are refused.
        """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var place: RoleCommand.Place

    @Flag(name: .customLong("public"), help: "Set the quota of the public database.")
    var isPublic = false

    @Flag(name: .customLong("each-user"), help: "Set the quota of each user's private database.")
    var isForEachUser = false

    @Option(help: "The e-mail address of the account whose quota is set.")
    var account: String?

    @Argument(
      help: """
        The quota: a number of bytes such as 500MB, 'unlimited', or 'standard' to give an account \
        the quota of each user again.
        """)
    var quota: ByteCount

    func run() async throws {
      let target: SetQuota.Target
      switch (isPublic, isForEachUser, account) {
      case (true, false, nil): target = .publicDatabase
      case (false, true, nil): target = .eachUser
      case (false, false, let email?): target = .account(email: email)
      default: throw Failure("give one of --public, --each-user and --account")
      }
      if quota.limit == .standard, account == nil {
        throw Failure("'standard' needs --account; write 'unlimited' to remove another quota")
      }
      _ = try await server.send(
        SetQuota.self,
        .init(
          containerID: place.container, environment: place.environment, target: target,
          limit: quota.limit))
    }
  }
}

/// The argument of a quota, such as `500MB` or `unlimited`.
struct ByteCount: ExpressibleByArgument, Equatable {
  let limit: SetQuota.Limit

  private static let units: [String: Int64] = [
    "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
  ]

  init?(argument: String) {
    switch argument.lowercased() {
    case "unlimited": limit = .unlimited
    case "standard": limit = .standard
    case let text:
      guard let match = text.wholeMatch(of: /([0-9]{1,15}) ?([a-z]{0,2})/),
        let number = Int64(match.output.1), let unit = Self.units[String(match.output.2)]
      else { return nil }
      let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
      if overflows { return nil }
      limit = .bytes(bytes)
    }
  }

  /// Describes a number of used bytes and its limit.
  static func shown(_ used: Int64, of quota: Int64?) -> String {
    guard let quota else { return "\(used) bytes, no limit" }
    return "\(used) of \(quota) bytes"
  }
}
