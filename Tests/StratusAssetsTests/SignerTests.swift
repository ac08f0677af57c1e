import StratusAssets
import Testing

@Suite struct Signatures {
  /// The test vector is RFC 4231, test case 2.
  @Test func `a signature is HMAC-SHA256`() {
    let signer = HMACSigner(secret: Array("Jefe".utf8))
    let signature = signer.signature(of: Array("what do ya want for nothing?".utf8))
    let hex = signature.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func `a signature is valid only for the same secret and the same bytes`() {
    let signer = HMACSigner(secret: [1, 2, 3])
    let signature = signer.signature(of: [4, 5])
    #expect(signer.isValid(signature, of: [4, 5]))
    #expect(!signer.isValid(signature, of: [4, 6]))
    #expect(!signer.isValid(Array(signature.dropLast()), of: [4, 5]))
    #expect(!signer.isValid([], of: [4, 5]))
    #expect(!HMACSigner(secret: [1, 2]).isValid(signature, of: [4, 5]))
  }

  @Test func `a signature is valid after one rotation of the secret, but not after two`() {
    let signer = HMACSigner(secret: [1])
    let first = signer.signature(of: [4, 5])
    signer.replace(by: [[2], [1]])
    #expect(signer.isValid(first, of: [4, 5]))
    #expect(signer.signature(of: [4, 5]) != first)
    signer.replace(by: [[3], [2]])
    #expect(!signer.isValid(first, of: [4, 5]))
  }

  @Test func `encrypted bytes can be decrypted only with the server's secret`() {
    let signer = HMACSigner(secret: [1])
    let text = Array("the title of a record".utf8)
    let encrypted = signer.encrypted(text)
    #expect(signer.decrypted(encrypted) == text)
    #expect(!encrypted.indices.contains { encrypted[$0...].starts(with: text.prefix(4)) })
    #expect(signer.encrypted(text) != encrypted)
    #expect(HMACSigner(secret: [2]).decrypted(encrypted) == nil)
    for index in encrypted.indices {
      var forged = encrypted
      forged[index] ^= 1
      #expect(signer.decrypted(forged) == nil)
    }
    signer.replace(by: [[2], [1]])
    #expect(signer.decrypted(encrypted) == text)
  }
}
