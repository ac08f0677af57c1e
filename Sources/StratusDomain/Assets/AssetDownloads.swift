import StratusWire

/// Opens the files that clients request with download URLs.
public struct AssetDownloads: Sendable {
  let stores: any StoreCatalog
  let assets: any AssetStore
  let tickets: AssetTickets
  let ambient: Ambient

  /// Returns the open file of a download ticket, and the file's checksum in hex digits.
  ///
  /// - Throws: `NOT_FOUND` if this server did not sign the ticket or the bytes are gone;
  ///   `ACCESS_DENIED` if the ticket has expired.
  public func file(
    _ ticketText: String
  ) async throws(ServerError) -> (file: any AssetFile, checksum: String) {
    guard let ticket = tickets.download(ticketText) else {
      throw ServerError(.notFound, Reason.assetURLUnknown)
    }
    guard ambient.now() <= ticket.expires else {
      throw ServerError(.accessDenied, Reason.assetURLExpired)
    }
    let store = try await stores.store(at: ticket.address)
    let asset = try await store.read { (store) throws(ServerError) in
      try store.asset(checksum: ticket.checksum)
    }
    guard let asset, let file = try await assets.open(file: asset.file, at: ticket.address) else {
      throw ServerError(.notFound, Reason.assetNotFound)
    }
    return (file, ticket.checksum.map(Self.hex).joined())
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
