import StratusWire

/// The place where the next step of a restore continues. Its text is encrypted, because it has the
/// names of zones and records.
struct RestorePosition: Sendable, Hashable {
  /// The zone that the last step examined.
  var zone: ZoneAddress
  /// The last record that was examined, or nil if the zone is finished.
  var recordName: String?

  /// NB: no name has control characters.
  private static let separator: Character = "\u{1}"

  init(zone: ZoneAddress, recordName: String? = nil) {
    self.zone = zone
    self.recordName = recordName
  }

  func text(signer: any TicketSigner) -> String {
    let parts = [zone.database.owner ?? "", zone.name, recordName ?? ""]
    let text = parts.joined(separator: String(Self.separator))
    return Base64.encode(signer.encrypted(Array(text.utf8)))
  }

  /// - Throws: `BAD_REQUEST` if this server did not make the text.
  init(_ text: String, signer: any TicketSigner) throws(ServerError) {
    let plain = Base64.decode(text).flatMap(signer.decrypted)
    let parts = String(decoding: plain ?? [], as: UTF8.self)
      .split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else {
      throw .badRequest("the position of the restore is not valid")
    }
    zone = ZoneAddress(
      database: parts[0].isEmpty ? .public : .private(owner: parts[0]), name: parts[1])
    recordName = parts[2].isEmpty ? nil : parts[2]
  }
}
