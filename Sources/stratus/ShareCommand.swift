import ArgumentParser
import Foundation
import StratusServer
import StratusTransport
import StratusWire

/// `stratus share`.
struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share",
    abstract: "Manage own shares, and join, list and leave shares of other users.",
    discussion: """
      The command acts for the user whose web auth token is in STRATUS_WEB_AUTH_TOKEN, in the \
      container that STRATUS_CONTAINER names.
      """,
    subcommands: [
      Create.self, Show.self, Invite.self, Remove.self, Configure.self, End.self,
      Accept.self, Request.self, List.self, Leave.self,
    ])

  struct Accept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Join the shares whose URLs are on standard input, one per line.",
      discussion: """
        The URL of a share is a secret. It is not an argument, because other users can see \
        arguments, and the shell stores them. '-' means standard input.
        """)

    @OptionGroup var device: DeviceOptions

    @Argument(help: "The argument must be '-', which means standard input.")
    var input: String

    func run() async throws {
      let urls = try ShareURL.urls(fromInput: input)
      let connection = try device.connection()
      let request = AcceptShares.Request(shortGUIDs: urls.map(\.shortGUID))
      let results = try await answered { () async throws(TransportFailure) in
        try await connection.send(AcceptShares.self, request, to: .public, isIdempotent: true)
      }.results
      for (url, result) in zip(urls, results) {
        switch result {
        case .share(let share):
          try await Self.takeKeys(of: share, url.secret, over: connection)
          say("joined \(share.zoneID.zoneName) of \(share.zoneID.ownerRecordName ?? "yourself")")
        case .failure(_, let error): throw Failure(error.reason)
        }
      }
    }

    /// Whether the command stores the keys of a shared zone or hierarchy. An owner has the keys
    /// already.
    static func storesKeys(of share: ResolvedShare) -> Bool { share.scope == .shared }

    /// Stores the keys of a shared zone or hierarchy, if the URL of the share has a secret.
    private static func takeKeys(
      of share: ResolvedShare, _ secret: ShareSecret?, over connection: Connection
    ) async throws {
      guard let secret, storesKeys(of: share) else { return }
      let file = DeviceKeys.location(environmentVariables: ProcessInfo.processInfo.environment)
      let keyRing = KeyRing(
        connection: connection, deviceKeys: DeviceKeys(file: file),
        randomness: Live.systemRandomness)
      do {
        try await keyRing.join(share.zoneID, with: secret, options: .init())
      } catch {
        throw Failure(
          "the share is joined, but its keys could not be stored, so encrypted values stay closed; "
            + "run 'stratus keys show', and accept the complete URL again")
      }
    }
  }

  struct Request: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Ask the owners of shares for access. Standard input has the URLs, one per line.",
      discussion: """
        The owner of a share sees the user's address and decides. A share that takes no requests \
        is reported like a share that does not exist. '-' means standard input.
        """)

    @OptionGroup var device: DeviceOptions

    @Argument(help: "The argument must be '-', which means standard input.")
    var input: String

    func run() async throws {
      let shortGUIDs = try ShareURL.urls(fromInput: input).map(\.shortGUID)
      let connection = try device.connection()
      let request = RequestShareAccess.Request(shortGUIDs: shortGUIDs)
      let results = try await answered { () async throws(TransportFailure) in
        try await connection.send(RequestShareAccess.self, request, to: .public, isIdempotent: true)
      }.results
      for result in results {
        if let error = result.error { throw Failure(error.reason) }
        say("asked for access")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the shares of other users that the user has joined.")

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let connection = try device.connection()
      let zones = try await answered { () async throws(TransportFailure) in
        try await connection.send(ListZones.self, EmptyRequest(), to: .shared, isIdempotent: true)
      }.zones
      var shares: [RecordDictionary] = []
      for case .zone(let zone) in zones {
        shares += try await Self.shares(in: zone.zoneID, over: connection)
      }
      if json { return say(json: RecordsResponse(records: shares.map { .record($0) })) }
      for share in shares {
        let permission = share.sharing?.currentUserParticipant?.permission.rawValue ?? ""
        say(
          "\(share.recordName) \(permission) in \(share.zoneID.zoneName) of "
            + "\(share.zoneID.ownerRecordName ?? "")")
      }
    }

    /// Returns the share records of a zone.
    private static func shares(
      in zoneID: ZoneID, over connection: Connection
    ) async throws -> [RecordDictionary] {
      var (found, token): ([RecordDictionary], String?) = ([], nil)
      while true {
        let request = FetchZoneChanges.Request(zones: [
          FetchZoneChanges.Item(
            zoneID: zoneID, syncToken: token,
            selection: ChangesSelection(desiredRecordTypes: [ShareRecord.recordType]))
        ])
        let page = try await answered { () async throws(TransportFailure) in
          try await connection.send(
            FetchZoneChanges.self, request, to: .shared, isIdempotent: true)
        }
        guard case .changes(let changes)? = page.zones.first else { return found }
        for case .record(let record) in changes.records { found.append(record) }
        guard changes.moreComing else { return found }
        token = changes.syncToken
      }
    }
  }

  struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Leave a share, or all shares of a zone. The owner's records are kept.")

    @OptionGroup var device: DeviceOptions

    @Option(help: "The name of the zone, as 'stratus share list' prints it.")
    var zone: String

    @Option(help: "The user record name of the zone's owner.")
    var owner: String

    @Option(help: "The record name of the share. Default: all shares of the zone.")
    var share: String?

    func run() async throws {
      let connection = try device.connection()
      let zoneID = ZoneID(zoneName: zone, ownerRecordName: owner)
      guard let share else {
        let request = ModifyZones.Request(operations: [ModifyZones.Operation(.delete, zoneID)])
        let answer = try await answered { () async throws(TransportFailure) in
          try await connection.send(ModifyZones.self, request, to: .shared, isIdempotent: true)
        }
        if case .failure(_, let error)? = answer.zones.first { throw Failure(error.reason) }
        return say("left \(zone)")
      }
      let request = ModifyRecords.Request(
        zoneID: zoneID, operations: [RecordOperation(.delete, recordName: share)])
      let answer = try await answered { () async throws(TransportFailure) in
        try await connection.send(ModifyRecords.self, request, to: .shared, isIdempotent: true)
      }
      if case .failure(let failure)? = answer.records.first { throw Failure(failure.error.reason) }
      say("left \(share)")
    }
  }
}

/// The URL of a share. The last part of its path is the ID. Its fragment contains the title, and
/// sometimes a secret.
enum ShareURL {
  /// Reads the URLs on standard input, one per line.
  ///
  /// - Parameter input: the argument of the command, which must be '-'.
  static func urls(
    fromInput input: String
  ) throws -> [(shortGUID: ShortGUID, secret: ShareSecret?)] {
    guard input == "-" else {
      throw Failure("give '-' and write the URL to standard input; a URL is a secret")
    }
    var urls: [(shortGUID: ShortGUID, secret: ShareSecret?)] = []
    while let line = readLine() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.isEmpty { continue }
      guard let value = shortGUID(in: text) else {
        throw Failure("line \(urls.count + 1) is not the URL of a share")
      }
      urls.append((ShortGUID(value: value, shouldFetchRootRecord: false), secret(in: text)))
    }
    if urls.isEmpty {
      throw Failure("standard input has no URL of a share; write the URL to it")
    }
    return urls
  }

  /// Returns the secret at the end of a URL, or nil if there is none.
  static func secret(in text: String) -> ShareSecret? {
    text.range(of: "~key=", options: .backwards).flatMap {
      ShareSecret(text: String(text[$0.upperBound...]))
    }
  }

  /// Returns the ID in the URL of a share. A text that is an ID is returned unchanged. Returns nil
  /// for any other text.
  static func shortGUID(in text: String) -> String? {
    let path = text.prefix { $0 != "#" && $0 != "?" }
    let parts = path.split(separator: "/")
    guard let value = parts.last,
      value.utf8.allSatisfy({ byte in
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
          || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      })
    else { return nil }
    guard parts.count == 1 || parts.dropLast().last == "share" else { return nil }
    return String(value)
  }
}

/// Runs `body`, and converts its error to a sentence that says what to do.
func answered<Value>(
  _ body: () async throws(TransportFailure) -> Value
) async throws -> Value {
  do throws(TransportFailure) { return try await body() } catch { throw Failure(error) }
}
