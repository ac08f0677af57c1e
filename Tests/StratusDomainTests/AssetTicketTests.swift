import StratusWire
import Testing

@testable import StratusDomain

/// The sealed texts that permit an upload, a download or the use of a file.
@Suite struct AssetTicketTexts {
  private let tickets = AssetTickets(signer: PlainSigner())
  private let address = StoreAddress(container: "iCloud.org.example", environment: .production)
  private let file = WholeFile(checksum: [UInt8](repeating: 0xFF, count: 32), size: 1 << 40)

  @Test(arguments: [DatabaseKey.public, .private(owner: "_a"), .private(owner: "_ü")])
  func `a sealed text decodes to its ticket`(database: DatabaseKey) {
    let upload = UploadTicket(address: address, database: database, id: "I", user: "_u", issued: -1)
    #expect(tickets.upload(tickets.text(upload)) == upload)
    let download = DownloadTicket(address: address, checksum: file.checksum, expires: .max)
    #expect(tickets.download(tickets.text(download)) == download)
    let receipt = AssetReceipt(address: address, database: database, file: file, expires: 0)
    #expect(tickets.receipt(tickets.text(receipt)) == receipt)
  }

  @Test func `a ticket is valid for one purpose, and its text needs no escaping`() {
    let text = tickets.text(
      AssetReceipt(address: address, database: .public, file: file, expires: 0))
    #expect(tickets.upload(text) == nil && tickets.download(text) == nil)
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
  }

  @Test func `a ticket is invalid if a character of its text is changed, missing or added`() {
    let text = Array(
      tickets.text(
        UploadTicket(address: address, database: .public, id: "I", user: "_u", issued: 7)))
    for place in text.indices {
      var changed = text
      changed[place] = changed[place] == "A" ? "Q" : "A"
      #expect(tickets.upload(String(changed)) == nil, "\(place)")
      #expect(tickets.upload(String(text[..<place])) == nil, "\(place)")
    }
    for other in ["A", "%", "+", "/", "=", "ä"] {
      #expect(tickets.upload(String(text) + other) == nil, "\(other)")
      #expect(tickets.upload(other) == nil, "\(other)")
    }
  }

  @Test func `a download URL leads to the storage if the storage has a URL for the file`() throws {
    let hour: Int64 = 3_600_000
    func url(_ direct: (any DirectDownloads)?, _ files: (any AssetReading)?) throws -> String {
      let links = AssetLinks(
        tickets: AssetTickets(signer: PlainSigner(), direct: direct), address: address,
        database: .public, serverURL: "http://stratus.test", now: 10 * hour + 7)
      let asset = Asset(fileChecksum: Base64.encode(file.checksum), size: file.size)
      return try #require(try links.shown(asset, files: files).downloadURL)
    }
    let (known, unknown) = (OneFileRegister(file: "00000001"), OneFileRegister(file: nil))
    #expect(
      try url(PlainDownloads(), known)
        == "https://s3.test/iCloud.org.example/00000001?\(10 * hour)-\(12 * hour)")
    let fromServer = "http://stratus.test/assets/download/"
    #expect(try url(PlainDownloads(), unknown).hasPrefix(fromServer))
    #expect(try url(PlainDownloads(), OneFileRegister(file: "lost")).hasPrefix(fromServer))
    let long = OneFileRegister(file: String(repeating: "0", count: 1_024))
    #expect(try url(PlainDownloads(), long).hasPrefix(fromServer))
    #expect(try url(PlainDownloads(), nil).hasPrefix(fromServer))
    #expect(try url(nil, known).hasPrefix(fromServer))
  }

  @Test(arguments: [UploadNote.last(total: 7), .done(WholeFile(checksum: .init(0..<32), size: 0))])
  func `an upload note can be decoded, but a truncated upload note cannot`(note: UploadNote) {
    #expect(UploadNote(bytes: note.bytes) == note)
    for count in 0..<note.bytes.count {
      #expect(UploadNote(bytes: .init(note.bytes[..<count])) == nil)
    }
  }
}

/// A storage whose download URLs show their parts. It has no URL for the file `lost`.
private struct PlainDownloads: DirectDownloads {
  func downloadURL(
    ofFile file: String, at address: StoreAddress, from start: Int64, until end: Int64
  ) -> String? {
    file == "lost" ? nil : "https://s3.test/\(address.container)/\(file)?\(start)-\(end)"
  }
}

/// A register in which all bytes have the same file.
private struct OneFileRegister: AssetReading {
  let file: String?

  func asset(checksum: [UInt8]) throws(ServerError) -> StoredAsset? {
    file.map { StoredAsset(checksum: checksum, file: $0, size: 1, touched: 0) }
  }

  func unheldAssets(touchedBefore time: Int64, limit: Int) throws(ServerError) -> [StoredAsset] {
    []
  }

  func unheldBytes() throws(ServerError) -> [String: Int64] { [:] }

  func registered(files: [String]) throws(ServerError) -> Set<String> { [] }
}
