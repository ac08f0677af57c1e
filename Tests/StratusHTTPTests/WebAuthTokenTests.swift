import StratusDomain
import Testing

@testable import StratusAccounts

@Suite struct `A web auth token` {
  private let key = SigningKey(id: 1, bytes: [UInt8](repeating: 7, count: 32))

  private let token = WebAuthToken(
    sessionID: String(repeating: "ab", count: 32), issuedAt: 1_767_225_600_000,
    lifetimeSeconds: 1_209_600)

  /// A token in the format of the first release, computed with Python's `hmac`.
  private static let first =
    "Aaurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urAAABm3ba"
    + "qAAAEnUABkwOR9OUdrqZz82wHvAa0CwBJGX5+CcJTaBoVGNpKvk="

  @Test func `a web auth token in the format of the first release stays valid`() {
    for id: UInt32 in [1, 9] {
      let keys = [SigningKey(id: 12, bytes: [1]), SigningKey(id: id, bytes: key.bytes)]
      #expect(WebAuthToken(text: Self.first, sealedWith: keys) == token)
    }
    #expect(WebAuthToken(text: Self.first, sealedWith: [SigningKey(id: 1, bytes: [1])]) == nil)
  }

  @Test func `a web auth token contains the identifier of the key that sealed the token`() {
    let text = token.text(sealedWith: key)
    #expect(text.utf8.count == 108)
    #expect(WebAuthToken(text: text, sealedWith: [key]) == token)
    #expect(
      WebAuthToken(text: text, sealedWith: [SigningKey(id: 2, bytes: key.bytes)]) == nil)
  }
}
