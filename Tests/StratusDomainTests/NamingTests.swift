import StratusWire
import Testing

@testable import StratusDomain

/// The legal forms of names.
@Suite struct Names {
  static let legal = ["a", "n-1", "Note 1", "4711", "a_b", "Ä", String(repeating: "x", count: 255)]
  static let illegal = [
    "", "_a", "a\u{0}b", "a\nb", "a\u{1F}", "a\u{7F}b", String(repeating: "x", count: 256),
    String(repeating: "x", count: 10_000), String(repeating: "ä", count: 256),
    // A person sees one letter. The store counts 10,001 Unicode scalars.
    "e" + String(repeating: "\u{301}", count: 10_000),
  ]

  private func isLegal(_ check: () throws(ServerError) -> Void) -> Bool {
    do {
      try check()
      return true
    } catch {
      #expect(error.code == .badRequest)
      #expect(!error.reason.isEmpty)
      return false
    }
  }

  @Test(arguments: legal) func `a legal name is accepted`(name: String) {
    #expect(isLegal { () throws(ServerError) in try Naming.checkRecordName(name) })
    #expect(isLegal { () throws(ServerError) in try Naming.checkZoneName(name) })
  }

  @Test(arguments: illegal) func `an illegal name is refused`(name: String) {
    #expect(!isLegal { () throws(ServerError) in try Naming.checkRecordName(name) })
    #expect(!isLegal { () throws(ServerError) in try Naming.checkZoneName(name) })
  }

  @Test func `the default zone's name is the only zone name that may begin with an underscore`() {
    #expect(isLegal { () throws(ServerError) in try Naming.checkZoneName("_defaultZone") })
    #expect(!isLegal { () throws(ServerError) in try Naming.checkZoneName("_otherZone") })
  }

  @Test(arguments: ["Note", "N", "note_2", String(repeating: "x", count: 255)])
  func `a legal name of a record type or field is accepted`(name: String) {
    #expect(isLegal { () throws(ServerError) in try Naming.checkRecordType(name) })
    #expect(isLegal { () throws(ServerError) in try Naming.checkFieldName(name) })
  }

  @Test(arguments: [
    "", "_a", "2note", "a.b", "a b", "a-b", "ä", "a\u{0}", String(repeating: "x", count: 256),
  ])
  func `an illegal name of a record type or field is refused`(name: String) {
    #expect(!isLegal { () throws(ServerError) in try Naming.checkRecordType(name) })
    #expect(!isLegal { () throws(ServerError) in try Naming.checkFieldName(name) })
  }
}
