import Crypto
import Foundation
import StratusWire
import Testing

@testable import StratusAccounts
@testable import StratusAssets
@testable import StratusDomain

/// Damages texts that the server has signed or encrypted, and also public keys and signatures. The
/// server must not accept a damaged text as another text.
@Suite struct `Damaged credentials` {
  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let signer = HMACSigner(secret: secret)
  private static let store = StoreAddress(
    container: "iCloud.org.example.Notes", environment: .development)
  private static let digits = ["A", "=", "/", "+", "-", "_", "%", " ", "\n", "\u{0}", "é"]

  @Test func `a damaged web auth token is never accepted`() {
    let key = SigningKey(id: 1, bytes: Self.secret)
    let good = ["00", "ff"].map {
      WebAuthToken(
        sessionID: String(repeating: $0, count: 32), issuedAt: 1_767_225_600_000,
        lifetimeSeconds: 1_800
      ).text(sealedWith: key)
    }
    Fuzz.run(good, pieces: Self.digits) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      let isAccepted = WebAuthToken(text: text, sealedWith: [key]) != nil
      #expect(isAccepted == good.contains(text), comment)
    }
  }

  @Test func `a damaged ticket of a file is refused, and so is a ticket of another kind`() {
    let tickets = AssetTickets(signer: Self.signer)
    let upload = UploadTicket(
      address: Self.store, database: .private(owner: "_a"), id: "u", user: "_a", issued: 1)
    let download = DownloadTicket(address: Self.store, checksum: [1, 2, 3], expires: 9)
    let receipt = AssetReceipt(
      address: Self.store, database: .public, file: WholeFile(checksum: [1], size: 3), expires: 9)
    let texts = [tickets.text(upload), tickets.text(download), tickets.text(receipt)]
    Fuzz.run(texts, pieces: Self.digits) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      let found = tickets.upload(text)
      #expect(found == nil || found == upload, comment)
      #expect(tickets.download(text).map { $0 == download } ?? true, comment)
      #expect(tickets.receipt(text).map { $0 == receipt } ?? true, comment)
      let kinds = [found != nil, tickets.download(text) != nil, tickets.receipt(text) != nil]
      let count = kinds.count { $0 }
      #expect(texts.contains(text) ? count == 1 : count <= 1, comment)
    }
  }

  @Test func `a damaged notification token is never read as another token`() {
    let tokens = CourierTokens(signer: Self.signer)
    let devices = [CourierTokens.Device(store: Self.store, courierID: "c-1")]
    let good = tokens.text(devices)
    Fuzz.run([good], pieces: Self.digits) { bytes, comment in
      let found = tokens.devices(String(decoding: bytes, as: UTF8.self))
      #expect(found == nil || found == devices, comment)
    }
  }

  @Test func `a damaged continuation marker is refused, or is read as the original marker`() {
    let marker = ContinuationMarker(
      fingerprint: 5, ordinal: 1, index: 2,
      position: EntryPosition(value: [1, 2, 3], zone: 4, record: 6))
    let good = [
      marker.text(encryptedBy: Self.signer, sortCount: 1),
      marker.text(encryptedBy: Self.signer, sortCount: 1),
    ]
    Fuzz.run(good, pieces: Self.digits) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      let found = try? ContinuationMarker(
        text: text, fingerprint: 5, encryptedBy: Self.signer)
      #expect(found == nil || found == marker, comment)
    }
  }

  @Test func `a damaged change token is refused, or can be written and read again unchanged`() {
    var participant = ChangeToken(subject: .zone, epoch: 1, incarnation: 2, change: 3)
    participant.participation = 4
    let good = [
      participant.text, ChangeToken(subject: .database, epoch: -1, incarnation: 2, change: 3).text,
    ]
    Fuzz.run(good, pieces: Self.digits) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let found = try? ChangeToken(text: text) else { return }
      #expect((try? ChangeToken(text: found.text)) == found, comment)
    }
  }

  @Test func `a damaged text that a page or a cookie keeps for the server is never accepted`() {
    let seal = PageSeal(secrets: [Self.secret])
    let good = [
      seal.seal("anna@example.org", for: .form), seal.seal("anna@example.org", for: .browser),
    ]
    Fuzz.run(good, pieces: Self.digits) { bytes, comment in
      let text = String(decoding: bytes, as: UTF8.self)
      if text != good[0] { #expect(seal.open(text, for: .form) == nil, comment) }
      if text != good[1] { #expect(seal.open(text, for: .browser) == nil, comment) }
    }
  }

  @Test func `a damaged PEM file is refused, or is read as the original key`() {
    let keys = (0..<2).map { _ in P256.Signing.PrivateKey().publicKey }
    let known = Set(keys.map(\.rawRepresentation))
    let pieces = [
      "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----",
      "PRIVATE KEY-----", "\n", "\r\n", "=", "A", " ",
    ]
    Fuzz.run(keys.map(\.pemRepresentation), pieces: pieces) { bytes, comment in
      do throws(ServerError) {
        let key = try PublicKeyFile.key(String(decoding: bytes, as: UTF8.self))
        #expect(known.contains(key.rawRepresentation), comment)
      } catch {
        #expect(error.code == .badRequest, comment)
      }
    }
  }

  @Test func `damaged signature headers are refused, or give a real date and an invalid signature`()
    throws
  {
    let key = P256.Signing.PrivateKey()
    let signature = try key.signature(for: Data("x".utf8)).derRepresentation.base64EncodedString()
    let good = [
      "\(String(repeating: "0a", count: 32))|2026-01-31T23:59:59Z|\(signature)",
      "\(String(repeating: "ff", count: 32))|2024-02-29T00:00:00Z|\(signature)",
    ]
    let names = AdmissionRequest.signatureHeaderNames
    try Fuzz.run(good, pieces: ["|", "Z", "T", ":", "-", "9", "0", "="]) { bytes, comment in
      let parts = String(decoding: bytes, as: UTF8.self)
        .split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3 else { return }
      let headers = [names[0]: parts[0], names[1]: parts[1], names[2]: parts[2]]
      guard let found = RequestSignature(headers: headers) else { return }
      #expect(found.keyID.wholeMatch(of: /[0-9a-f]{64}/) != nil, comment)
      #expect(!found.isValid(for: key.publicKey, target: "/x", body: []), comment)
      if found.dateText >= "1600" {
        let date = try Date(found.dateText, strategy: .iso8601)
        #expect(Int64(date.timeIntervalSince1970) * 1_000 == found.date, comment)
      }
    }
  }
}
