import StratusWire
import Testing

@testable import stratus

/// The requests of `stratus account import`.
@Suite struct `The import of an archive` {
  /// A line with a record whose fields are a JSON text of this length.
  private func line(fieldsBytes count: Int) -> ArchiveLine {
    let (begin, end) = (Array(#"{"a":{"value":""#.utf8), Array(#"","type":"STRING"}}"#.utf8))
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: count - begin.count - end.count)
    let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "1")
    return .record(
      ArchiveZone(isPublic: false, name: "Notes"),
      ArchiveRecord(
        name: "n-1", type: "Note", created: stamp, modified: stamp, parentName: nil,
        fields: FieldsJSON(text: begin + filler + end)))
  }

  @Test func `a line with the largest record is not too long`() {
    let largest = line(fieldsBytes: Limits.recordTextBytesMax).jsonBytes
    #expect(largest.count > Limits.recordTextBytesMax)
    #expect(largest.count <= Limits.archiveLineBytesMax)
  }

  @Test func `no request is larger than the server accepts`() {
    var batch = ImportBatch()
    var requests: [[ArchiveLine]] = []
    let sizes = [900_000, 4_000_000, 1_000, 500_000, 4_000_000] + [Int](repeating: 500, count: 300)
    for size in sizes {
      let line = line(fieldsBytes: size)
      let count = line.jsonBytes.count
      #expect(count <= ImportBatch.lineBytesMax)
      if !batch.hasRoom(forBytes: count) { requests.append(batch.take()) }
      batch.append(line, bytes: count)
    }
    requests.append(batch.take())
    #expect(requests.map(\.count) == [1, 1, 2, 1, 200, 100])
    for lines in requests {
      let request = ImportAccount.Request(
        email: "anna@example.org", session: String(repeating: "s", count: 1_000),
        containerID: "iCloud.a", environment: .development, formerName: "_ann", lines: lines)
      #expect(request.jsonBytes.count <= Limits.requestSizeBytesMax)
    }
  }
}
