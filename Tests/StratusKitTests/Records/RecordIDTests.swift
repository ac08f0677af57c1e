import CloudKit
import Testing

@Suite
struct RecordIDs {
  @Test
  func `record names that only look the same are different`() {
    let one = CKRecord.ID(recordName: "caf\u{e9}")
    let other = CKRecord.ID(recordName: "cafe\u{301}")
    #expect(one != other)
    #expect(one == CKRecord.ID(recordName: "caf\u{e9}"))
    #expect(Set([one, other, one]).count == 2)
  }
}
