/// An open invitation to an address, which may be an address of the caller.
///
/// Source: CloudKit Web Services Reference, *Fetching Record Information*.
///
/// Choice: the address is masked. Users recognise their own address, but a user who only knows the
/// share's URL does not learn the addresses of other people.
public struct PotentialMatch: Sendable, Hashable {
  /// The ID of the participant in the share.
  public var participantID: String
  /// The masked address, for example `b…@e….org`.
  public var maskedAddress: String

  /// - Parameter address: the address that the owner has invited.
  public init(participantID: String, masking address: String) {
    self.participantID = participantID
    maskedAddress = Self.masked(address)
  }

  /// Shows the first character of the name and of the domain, and the last label of the domain.
  private static func masked(_ address: String) -> String {
    let parts = address.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let domain = parts.count == 2 ? parts[1] : ""
    let labels = domain.split(separator: ".")
    let end = labels.count > 1 ? "." + (labels.last ?? "") : ""
    return "\(parts[0].prefix(1))…@\(domain.prefix(1))…\(end)"
  }
}

extension PotentialMatch: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("participantId", participantID)
      writer.key("contactInformation")
      writer.object { $0.member("emailAddress", maskedAddress) }
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("potentialMatchList")
    participantID = try json.requiredString("participantId")
    maskedAddress = try json["contactInformation"]?.optionalString("emailAddress") ?? ""
  }
}
