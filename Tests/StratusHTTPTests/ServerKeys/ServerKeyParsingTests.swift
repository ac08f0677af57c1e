import Crypto
import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

/// The parsers of keys and signatures, with valid input and with randomly damaged input.
@Suite struct `The parsers of server-to-server keys` {
  private static let seed: UInt64 = 17
  private static let rounds = 3_000

  /// Damages a text in up to three characters.
  private func damaged(_ text: String, _ chance: inout SeededChance) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &chance) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &chance)
      switch Int.random(in: 0..<5, using: &chance) {
      case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &chance)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      case 3: bytes.removeSubrange(index...)
      default: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &chance))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a damaged PEM file is never read as another key`() {
    var chance = SeededChance(seed: Self.seed)
    let key = P256.Signing.PrivateKey().publicKey
    var accepted = 0
    for round in 0..<Self.rounds {
      let text = damaged(key.pemRepresentation, &chance)
      do throws(ServerError) {
        let found = try PublicKeyFile.key(text)
        // Damage to white space or unused bits may be accepted, but the key must stay the same.
        #expect(
          found.rawRepresentation == key.rawRepresentation,
          "seed \(Self.seed), round \(round): \(text)")
        accepted += 1
      } catch {
        #expect(error.code == .badRequest, "seed \(Self.seed), round \(round)")
      }
    }
    #expect(accepted < Self.rounds / 2)
  }

  @Test func `damaged headers give no other valid signature with the same key ID`() throws {
    var chance = SeededChance(seed: Self.seed)
    let key = P256.Signing.PrivateKey()
    let (target, date) = (
      "/database/1/iCloud.a/development/public/zones/list", "2026-01-01T00:00:00Z"
    )
    let hash = Data(SHA256.hash(data: Data())).base64EncodedString()
    let signature = try key.signature(for: Data("\(date):\(hash):\(target)".utf8))
    let names = AdmissionRequest.signatureHeaderNames
    let good = [
      names[0]: String(repeating: "0a", count: 32), names[1]: date,
      names[2]: signature.derRepresentation.base64EncodedString(),
    ]
    let whole = try #require(RequestSignature(headers: good))
    #expect(whole.isValid(for: key.publicKey, target: target, body: []))
    for round in 0..<Self.rounds {
      var headers = good
      let name = names[Int.random(in: 0..<3, using: &chance)]
      headers[name] = damaged(good[name] ?? "", &chance)
      guard headers != good, let found = RequestSignature(headers: headers) else { continue }
      let isSame =
        found.keyID == whole.keyID
        && found.signature.rawRepresentation == whole.signature.rawRepresentation
        && found.dateText == whole.dateText
      let isValid = found.isValid(for: key.publicKey, target: target, body: [])
      #expect(
        !isValid || isSame || found.keyID != whole.keyID,
        "seed \(Self.seed), round \(round): \(headers)")
    }
  }

  @Test func `the texts that the server tries for a signature are those that clients sign`() throws
  {
    let signature = try P256.Signing.PrivateKey().signature(for: Data())
    let names = AdmissionRequest.signatureHeaderNames
    let parsed = try #require(
      RequestSignature(headers: [
        names[0]: String(repeating: "0a", count: 32), names[1]: "2026-01-01T00:00:00Z",
        names[2]: signature.derRepresentation.base64EncodedString(),
      ]))
    let begin = "2026-01-01T00:00:00Z:"
    let nothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    let texts = parsed.texts(target: "/database/1/a%2Eb?x=%41", body: [])
    #expect(
      texts.map { String(decoding: $0, as: UTF8.self) } == [
        "\(begin)\(nothing):/database/1/a%2Eb?x=%41", "\(begin):/database/1/a%2Eb?x=%41",
        "\(begin)\(nothing):/database/1/a%2Eb", "\(begin):/database/1/a%2Eb",
        "\(begin)\(nothing):/database/1/a.b", "\(begin):/database/1/a.b",
      ])
    #expect(parsed.texts(target: "/database/1/a", body: [1]).count == 1)
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2016-01-25T22:15:43Z", 1_453_760_143_000),
    ("2000-02-29T12:00:00Z", 951_825_600_000), ("2024-02-29T23:59:59Z", 1_709_251_199_000),
    ("2100-03-01T00:00:00Z", 4_107_542_400_000), ("1969-12-31T23:59:59Z", -1_000),
    ("0000-03-01T00:00:00Z", -62_162_035_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
  ])
  func `the date of a signature is converted to milliseconds`(text: String, milliseconds: Int64) {
    #expect(RequestSignature.milliseconds(text) == milliseconds)
  }

  @Test(arguments: ["2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z"])
  func `a signature date that does not exist in the calendar is refused`(text: String) {
    #expect(RequestSignature.milliseconds(text) == nil)
  }
}
