import StratusWire

/// Gives out the bytes of files: what lies behind a download URL.
public struct AssetDownloads: Sendable {
  let stores: any StoreCatalog
  let assets: any AssetStore
  let tickets: AssetTickets
  let ambient: Ambient

  /// The file a ticket names, open, and its checksum in hex digits.
  ///
  /// - Throws: `NOT_FOUND` if the ticket is none of ours or the bytes are gone; `ACCESS_DENIED` if
  ///   it is past its time.
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
