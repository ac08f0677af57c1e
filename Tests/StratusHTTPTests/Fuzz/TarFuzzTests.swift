import StratusTesting
import StratusWire
import Testing

/// Archives with different kinds of files, and damaged archives.
@Suite struct `The reader of tar archives` {
  private static func archive(_ files: [(path: String, contents: [UInt8])]) -> [UInt8] {
    files.flatMap { path, contents in
      TarHeader.file(path: path, size: Int64(contents.count), time: 1_800_000_000) + contents
        + TarHeader.padding(Int64(contents.count))
    } + TarHeader.end
  }

  /// Reads an archive in pieces, and returns its files and whether it is complete.
  private static func read(
    _ bytes: [UInt8], pieceSize: Int = 300
  ) throws(WireError) -> (files: [(String, [UInt8])], isComplete: Bool) {
    var (reader, files): (TarReader, [(String, [UInt8])]) = (TarReader(), [])
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      reader.add(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
      while let event = try reader.next() {
        switch event {
        case .file(let path, _): files.append((path, []))
        case .bytes(let more): files[files.count - 1].1 += more
        case .fileEnd, .end: break
        }
      }
    }
    return (files, reader.isComplete)
  }

  private static let long = String(repeating: "long-name/", count: 30) + "ä.jsonl"

  @Test(arguments: [1, 300, 512, 100_000])
  func `files of different sizes and paths are read as they were written`(pieceSize: Int) throws {
    let files: [(String, [UInt8])] = [
      ("account.jsonl", Array("{}\n".utf8)), ("empty", []),
      ("block", [UInt8](repeating: 7, count: 512)),
      (String(repeating: "p", count: 100) + "/" + String(repeating: "n", count: 100), [1]),
      (Self.long, [UInt8](repeating: 1, count: 1_000)),
    ]
    let (found, isComplete) = try Self.read(
      Self.archive(files), pieceSize: pieceSize == 1 ? 7 : pieceSize)
    #expect(isComplete)
    #expect(found.map { $0.0 } == files.map { $0.0 })
    #expect(found.map { $0.1 } == files.map { $0.1 })
  }

  @Test(arguments: ["/etc/passwd", "a/../../b", "..", "", "a\nb", "a\u{0}b\u{7F}"])
  func `an unsafe path is refused, and the bytes after a zero byte are ignored`(path: String) {
    var header = TarHeader.file(path: "xxxx", size: 0, time: 0)
    for index in 0..<100 { header[index] = 0 }
    for (index, byte) in path.utf8.enumerated() { header[index] = byte }
    Self.fixChecksum(&header)
    if path == "a\u{0}b\u{7F}" {
      #expect((try? Self.read(header + TarHeader.end))?.files.map { $0.0 } == ["a"])
    } else {
      #expect(throws: WireError.self) { try Self.read(header + TarHeader.end) }
    }
  }

  /// Source: POSIX.1-2001, ustar: 1 and 2 are links, 3 and 4 are devices, 6 is a FIFO, 7 is
  /// reserved, and 8 has no meaning. `S`, `L` and `K` are extensions of GNU.
  @Test(arguments: Array("1234678SLK".utf8))
  func `links, devices and extensions are refused`(kind: UInt8) {
    var header = TarHeader.file(path: "x", size: 0, time: 0)
    header[156] = kind
    Self.fixChecksum(&header)
    #expect(throws: WireError.self) { try Self.read(header + TarHeader.end) }
  }

  @Test func `a wrong checksum, a size with a wrong digit and a large pax header are refused`() {
    let good = TarHeader.file(path: "x", size: 0, time: 0)
    var wrong = good
    wrong[0] ^= 1
    #expect(throws: WireError.self) { try Self.read(wrong + TarHeader.end) }
    for size in ["9", "-1", "7777777777777"] {
      var header = good
      for index in 124..<136 { header[index] = 0 }
      for (index, byte) in size.utf8.prefix(12).enumerated() { header[124 + index] = byte }
      Self.fixChecksum(&header)
      let result = try? Self.read(header + TarHeader.end)
      #expect(result == nil || result?.isComplete == false)
    }
    var pax = TarHeader.file(path: "x", size: 70_000, time: 0)
    pax[156] = UInt8(ascii: "x")
    Self.fixChecksum(&pax)
    #expect(throws: WireError.self) { try Self.read(pax) }
  }

  @Test func `an archive that was cut off is not complete`() throws {
    let bytes = Self.archive([("a", [1, 2, 3]), ("b", [4])])
    for count in stride(from: 0, to: bytes.count - TarHeader.blockSize, by: 100) {
      #expect(try Self.read(Array(bytes.prefix(count))).isComplete == false)
    }
  }

  @Test func `a damaged archive is refused or read in bounded memory, and no path escapes`() {
    let samples = [
      Self.archive([("a", [1, 2, 3]), (Self.long, [UInt8](repeating: 9, count: 700))]),
      Self.archive([("x/y.jsonl", Array("{\"kind\":\"end\"}\n".utf8))]),
    ].map { String(decoding: $0.map { $0 & 0x7F }, as: UTF8.self) }
    Fuzz.run(samples, pieces: ["\u{0}", "../", "/", "7777777", "ustar", "x", "30 path=/a\n"]) {
      bytes, comment in
      var mended = bytes
      // NB: the checksums are corrected, because otherwise the reader would refuse nearly all
      // damaged archives for their checksums alone.
      for start in stride(from: 0, to: max(0, mended.count - 511), by: 512) {
        var block = Array(mended[start..<(start + 512)])
        guard block[257..<262].elementsEqual("ustar".utf8) else { continue }
        Self.fixChecksum(&block)
        mended.replaceSubrange(start..<(start + 512), with: block)
      }
      guard let found = try? Self.read(mended) else { return }
      #expect(found.files.reduce(0) { $0 + $1.1.count } <= mended.count, comment)
      for (path, _) in found.files {
        #expect(!path.hasPrefix("/") && !path.split(separator: "/").contains(".."), comment)
      }
    }
  }

  /// Writes the right checksum into a header.
  private static func fixChecksum(_ header: inout [UInt8]) {
    for index in 148..<156 { header[index] = 32 }
    let sum = header.prefix(512).reduce(0) { $0 + Int($1) }
    let digits = String(sum, radix: 8)
    let text = String(repeating: "0", count: 6 - digits.count) + digits
    for (index, byte) in text.utf8.enumerated() { header[148 + index] = byte }
    header[154] = 0
  }
}
