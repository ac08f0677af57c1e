import StratusWire

/// Signs and reads the texts that allow their holder to upload, download or reference a file.
struct AssetTickets: Sendable {
  /// The purpose of a signed text. It prevents the use of one kind of text as another kind.
  private enum Kind: UInt8 {
    case upload = 1
    case download = 2
    case receipt = 3
  }

  private static let signatureCount = 32

  let signer: any TicketSigner
  /// Makes download URLs that need no ticket. It is nil if all download URLs have a ticket.
  var direct: (any DirectDownloads)?

  func text(_ ticket: UploadTicket) -> String {
    text(.upload) { packed in
      packed.add(ticket.address)
      packed.add(ticket.database)
      packed.add(ticket.id)
      packed.add(ticket.user)
      packed.add(ticket.issued)
    }
  }

  func text(_ ticket: DownloadTicket) -> String {
    text(.download) { packed in
      packed.add(ticket.address)
      packed.add(ticket.checksum)
      packed.add(ticket.expires)
    }
  }

  func text(_ receipt: AssetReceipt) -> String {
    text(.receipt) { packed in
      packed.add(receipt.address)
      packed.add(receipt.database)
      packed.add(receipt.file.checksum)
      packed.add(receipt.file.size)
      packed.add(receipt.expires)
    }
  }

  /// Returns the ticket in the text, even if the ticket has expired. Returns nil if this server did
  /// not sign the text.
  func upload(_ text: String) -> UploadTicket? {
    guard var packed = open(text, .upload), let address = packed.address(),
      let database = packed.database(), let id = packed.string(), let user = packed.string(),
      let issued = packed.int64()
    else { return nil }
    return UploadTicket(address: address, database: database, id: id, user: user, issued: issued)
  }

  /// Returns the ticket in the text, even if the ticket has expired. Returns nil if this server did
  /// not sign the text.
  func download(_ text: String) -> DownloadTicket? {
    guard var packed = open(text, .download), let address = packed.address(),
      let checksum = packed.data(), let expires = packed.int64()
    else { return nil }
    return DownloadTicket(address: address, checksum: checksum, expires: expires)
  }

  /// Returns the receipt in the text, even if the receipt has expired. Returns nil if this server
  /// did not sign the text.
  func receipt(_ text: String) -> AssetReceipt? {
    guard var packed = open(text, .receipt), let address = packed.address(),
      let database = packed.database(), let checksum = packed.data(), let size = packed.int64(),
      let expires = packed.int64()
    else { return nil }
    return AssetReceipt(
      address: address, database: database, file: WholeFile(checksum: checksum, size: size),
      expires: expires)
  }

  private func text(_ kind: Kind, _ body: (inout PackedBytes) -> Void) -> String {
    var packed = PackedBytes()
    packed.add(kind.rawValue)
    body(&packed)
    return Base64.encodeForURL(packed.bytes + signer.signature(of: packed.bytes))
  }

  private func open(_ text: String, _ kind: Kind) -> PackedReader? {
    guard let bytes = Base64.decodeFromURL(text), bytes.count > Self.signatureCount else {
      return nil
    }
    let body = Array(bytes.dropLast(Self.signatureCount))
    guard signer.isValid(Array(bytes.suffix(Self.signatureCount)), of: body) else { return nil }
    var packed = PackedReader(body[...])
    return packed.byte() == kind.rawValue ? packed : nil
  }
}

/// A ticket that allows its holder to upload one file.
struct UploadTicket: Sendable, Hashable {
  var address: StoreAddress
  /// The database where the file may be used.
  var database: DatabaseKey
  /// The ID of the upload. No other upload ever gets the same ID.
  var id: String
  /// The record name of the user who requested the ticket.
  var user: String
  /// The time when the ticket was created, in milliseconds since 1970 UTC.
  var issued: Int64
}

/// A ticket that allows its holder to download one file.
struct DownloadTicket: Sendable, Hashable {
  var address: StoreAddress
  /// SHA-256 of the contents.
  var checksum: [UInt8]
  /// The last time when the ticket is valid, in milliseconds since 1970 UTC.
  var expires: Int64
}

/// A receipt. It proves that its holder uploaded these bytes to a database, or could read them
/// there.
struct AssetReceipt: Sendable, Hashable {
  var address: StoreAddress
  var database: DatabaseKey
  var file: WholeFile
  /// The last time when the receipt is valid, in milliseconds since 1970 UTC.
  var expires: Int64
}

extension PackedBytes {
  fileprivate mutating func add(_ address: StoreAddress) {
    add(address.container)
    add(address.environment.rawValue)
  }

  /// NB: an owner's name is never empty. An empty owner therefore means the public database.
  fileprivate mutating func add(_ database: DatabaseKey) { add(database.owner ?? "") }
}

extension PackedReader {
  fileprivate mutating func address() -> StoreAddress? {
    guard let container = string(), let word = string(),
      let environment = ContainerEnvironment(rawValue: word)
    else { return nil }
    return StoreAddress(container: container, environment: environment)
  }

  fileprivate mutating func database() -> DatabaseKey? {
    string().map { $0.isEmpty ? .public : .private(owner: $0) }
  }
}
