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

  @Test func `are refused with a sentence that names the file`() async throws {
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
      #expect(failure { _ = try certificates.identity() }.contains("holds no private key"))
      try FileManager.default.removeItem(atPath: certificates.path("site.key"))
      #expect(failure { _ = try certificates.identity() }.hasSuffix("site.key' cannot be read"))
      try Data("rubbish".utf8).write(to: URL(fileURLWithPath: certificates.path("site.pem")))
      #expect(failure { _ = try certificates.identity() }.contains("holds no certificate"))
    }
  }

  @Test func `are read again once both files rest`() async throws {
    try await Certificates.with { certificates in
      try certificates.make("first")
      try certificates.make("second")
      try certificates.install("first")
      let identity = try certificates.identity()
      let before = identity.expiresAt
      #expect(try identity.reloadIfChanged() == false)
      // The first of both files is replaced. The pair does not fit yet, which is no error.
      try certificates.install("second", key: "first")
      #expect(try identity.reloadIfChanged() == false)
      try certificates.install("second")
      #expect(try identity.reloadIfChanged() == false)
      #expect(try identity.reloadIfChanged())
      #expect(identity.expiresAt >= before)
      #expect(try identity.reloadIfChanged() == false)
      // A pair that stays wrong is reported once.
      try certificates.install("first", key: "second")
      #expect(try identity.reloadIfChanged() == false)
      #expect(throws: TLSFailure.self) { try identity.reloadIfChanged() }
      #expect(try identity.reloadIfChanged() == false)
    }
  }
}
