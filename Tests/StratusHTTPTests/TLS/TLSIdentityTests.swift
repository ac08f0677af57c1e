import Foundation
import StratusHTTP
import Testing

@Suite struct `A certificate and its key` {
  private func failure(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch { return "\(error)" }
  }

  @Test
  func `an unusable certificate or key is refused with a sentence that names the file`()
    async throws
  {
    try await Certificates.with { certificates in
      try certificates.make("first")
      try certificates.make("second")
      #expect(failure { _ = try certificates.identity() }.hasSuffix("site.pem' cannot be read"))
      try certificates.install("first")
      #expect(try certificates.identity().expiresAt > 0)
      for (days, part) in [(11, "has expired"), (-1, "is not valid yet")] as [(Int64, String)] {
        #expect(failure { _ = try certificates.identity(afterDays: days) }.hasSuffix(part))
      }
      try certificates.install("first", key: "second")
      #expect(failure { _ = try certificates.identity() }.contains("does not belong to"))
      try Data("rubbish".utf8).write(to: URL(fileURLWithPath: certificates.path("site.key")))
      #expect(failure { _ = try certificates.identity() }.contains("contains no private key"))
      try FileManager.default.removeItem(atPath: certificates.path("site.key"))
      #expect(failure { _ = try certificates.identity() }.hasSuffix("site.key' cannot be read"))
      try Data("rubbish".utf8).write(to: URL(fileURLWithPath: certificates.path("site.pem")))
      #expect(failure { _ = try certificates.identity() }.contains("contains no certificate"))
    }
  }

  @Test
  func `a certificate and its key are read again after both files have stopped changing`()
    async throws
  {
    try await Certificates.with { certificates in
      try certificates.make("first")
      try certificates.make("second")
      try certificates.install("first")
      let identity = try certificates.identity()
      let before = identity.expiresAt
      #expect(try identity.reloadIfChanged() == false)
      // Only the certificate is replaced. The new certificate does not belong to the old key, but
      // this is no error yet.
      try certificates.install("second", key: "first")
      #expect(try identity.reloadIfChanged() == false)
      try certificates.install("second")
      #expect(try identity.reloadIfChanged() == false)
      #expect(try identity.reloadIfChanged())
      #expect(identity.expiresAt >= before)
      #expect(try identity.reloadIfChanged() == false)
      // If the files still do not belong together at the next check, the error is thrown once.
      try certificates.install("first", key: "second")
      #expect(try identity.reloadIfChanged() == false)
      #expect(throws: TLSFailure.self) { try identity.reloadIfChanged() }
      #expect(try identity.reloadIfChanged() == false)
    }
  }
}
