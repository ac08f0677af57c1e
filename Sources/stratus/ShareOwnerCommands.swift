import ArgumentParser
import Foundation
import StratusTransport
import StratusWire

extension ShareCommand {
  /// The options that name a share in the private database of the user.
  struct OwnShareOptions: ParsableArguments {
    @OptionGroup var device: DeviceOptions

    @Option(help: "The name of the zone in the user's private database.")
    var zone: String

    @Option(help: "The record name of the share. Default: the share of the whole zone.")
    var share = ShareRecord.zoneShareName

    /// Fetches the share.
    ///
    /// - Throws: ``Failure`` if there is no such record, or if the record is not a share.
    func fetched(over connection: Connection) async throws -> RecordDictionary {
      let request = LookupRecords.Request(
        zoneID: ZoneID(zoneName: zone), recordNames: [share])
      let response = try await answered { () async throws(TransportFailure) in
        try await connection.send(LookupRecords.self, request, to: .private, isIdempotent: true)
      }
      let record = try Self.record(in: response)
      guard record.sharing != nil else { throw Failure("the record '\(share)' is not a share") }
      return record
    }

    /// Changes the members that only share records have.
    func save(
      _ changes: ShareInput, of record: RecordDictionary, over connection: Connection
    ) async throws {
      var operation = RecordOperation(
        .update, recordName: record.recordName, recordType: ShareRecord.recordType,
        recordChangeTag: record.recordChangeTag)
      operation.share = changes
      try await ShareCommand.modify(operation, in: zone, over: connection)
    }

    fileprivate static func record(in response: RecordsResponse) throws -> RecordDictionary {
      switch response.records.first {
      case .record(let record)?: return record
      case .failure(let failure)?: throw Failure(failure.error.reason)
      case .deleted?, nil: throw Failure("the answer has no record")
      }
    }
  }

  /// Makes one change in the private database of the user.
  @discardableResult
  private static func modify(
    _ operation: RecordOperation, in zone: String, over connection: Connection
  ) async throws -> RecordsResponse {
    let request = ModifyRecords.Request(
      zoneID: ZoneID(zoneName: zone), operations: [operation])
    let response = try await answered { () async throws(TransportFailure) in
      try await connection.send(ModifyRecords.self, request, to: .private, isIdempotent: false)
    }
    if case .failure(let failure)? = response.records.first { throw Failure(failure.error.reason) }
    return response
  }

  /// The permission of a participant or of all users who have the URL.
  enum Permission: String, ExpressibleByArgument, CaseIterable {
    case none
    case readOnly = "read-only"
    case readWrite = "read-write"

    var name: SharePermissionName {
      switch self {
      case .none: .none
      case .readOnly: .readOnly
      case .readWrite: .readWrite
      }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Share a record and its descendants, or a whole zone, and print the URL.",
      discussion: """
        The URL is a secret. It lacks the key for encrypted values, because only an app on the \
        owner's device can add this key.
        """)

    @OptionGroup var device: DeviceOptions

    @Option(help: "The name of the zone in the user's private database.")
    var zone: String

    @Option(help: "The name of the record to share. Default: the whole zone.")
    var record: String?

    @Option(help: "What all users who have the URL may do: none, read-only or read-write.")
    var `public` = Permission.none

    func run() async throws {
      let connection = try device.connection()
      var operation = RecordOperation(
        .create, recordName: record == nil ? ShareRecord.zoneShareName : "Share-\(UUID())",
        recordType: ShareRecord.recordType)
      operation.share = ShareInput(rootRecordName: record, publicPermission: self.public.name)
      let share = try OwnShareOptions.record(
        in: try await ShareCommand.modify(operation, in: zone, over: connection))
      say(share.recordName)
      if let url = share.shareURL(scheme: device.scheme) { say(url) }
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the participants, the public permission and the URL of an own share.")

    @OptionGroup var own: OwnShareOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let share = try await own.fetched(over: own.device.connection())
      if json { return say(json: RecordsResponse(records: [.record(share)])) }
      guard let details = share.sharing else { return }
      say("all users with the URL: \(details.publicPermission.words)")
      for participant in details.participants {
        say(
          "\(participant.identity.text): \(participant.role.rawValue.lowercased()), "
            + "\(participant.status.rawValue.lowercased()), \(participant.permission.words)")
      }
      if let url = share.shareURL(scheme: own.device.scheme) { say(url) }
    }
  }

  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Invite a person to an own share, or change the permission of a participant.",
      discussion: "Send the URL of the share to the person. 'stratus share show' prints the URL.")

    @OptionGroup var own: OwnShareOptions

    @Option(help: "What the person may do: read-only or read-write.")
    var permission = Permission.readOnly

    @Argument(help: "The e-mail address of the person.")
    var email: String

    func validate() throws {
      if permission == .none {
        throw ValidationError("the permission must be read-only or read-write")
      }
    }

    func run() async throws {
      let connection = try own.device.connection()
      let share = try await own.fetched(over: connection)
      var participants = share.invitedParticipants
      var sentence = "\(email) is invited"
      if let index = participants.firstIndex(where: { $0.identity.isCalled(email) }) {
        participants[index].permission = permission.name
        sentence = "\(email) has the permission \(permission.rawValue)"
      } else {
        participants.append(
          ShareParticipant(
            identity: ParticipantIdentity(lookup: .emailAddress(email)),
            permission: permission.name))
      }
      try await own.save(ShareInput(participants: participants), of: share, over: connection)
      say(sentence)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a participant from an own share.")

    @OptionGroup var own: OwnShareOptions

    @Argument(help: "The participant, as 'stratus share show' prints it.")
    var participant: String

    func run() async throws {
      let connection = try own.device.connection()
      let share = try await own.fetched(over: connection)
      let all = share.invitedParticipants
      let kept = all.filter { !$0.identity.isCalled(participant) }
      if kept.count == all.count {
        throw Failure(
          "the share has no participant '\(participant)'; 'stratus share show' lists them")
      }
      try await own.save(ShareInput(participants: kept), of: share, over: connection)
      say("\(participant) is removed")
    }
  }

  struct Configure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change what all users who have the URL of an own share may do.")

    @OptionGroup var own: OwnShareOptions

    @Option(help: "The permission: none, read-only or read-write.")
    var `public`: Permission

    func run() async throws {
      let connection = try own.device.connection()
      let share = try await own.fetched(over: connection)
      try await own.save(
        ShareInput(publicPermission: self.public.name), of: share, over: connection)
      say("all users with the URL: \(self.public.name.words)")
    }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End an own share. The participants can then no longer see the records.")

    @OptionGroup var own: OwnShareOptions

    func run() async throws {
      let connection = try own.device.connection()
      let share = try await own.fetched(over: connection)
      try await ShareCommand.modify(
        RecordOperation(
          .delete, recordName: share.recordName, recordChangeTag: share.recordChangeTag),
        in: own.zone, over: connection)
      say("ended \(share.recordName)")
    }
  }
}

extension RecordDictionary {
  /// The participants of a share without the owner.
  fileprivate var invitedParticipants: [ShareParticipant] {
    (sharing?.participants ?? []).filter { $0.role != .owner }
  }
}

extension ParticipantIdentity {
  /// The address, number or user record name of the participant.
  fileprivate var text: String {
    switch lookup {
    case .emailAddress(let text)?, .phoneNumber(let text)?, .userRecordName(let text)?: text
    case nil: userRecordName ?? "unknown"
    }
  }

  /// Whether a text names this participant: it is the participant's ``text`` in any letter case, or
  /// exactly the user record name.
  fileprivate func isCalled(_ name: String) -> Bool {
    text.lowercased() == name.lowercased() || userRecordName == name
  }
}

extension SharePermissionName {
  fileprivate var words: String { rawValue.lowercased().replacing("_", with: "-") }
}
