/// The headers of a tar archive (POSIX.1-2001, ustar and pax).
public enum TarHeader {
  /// The size of a block in bytes. Headers and the contents of files fill whole blocks.
  public static let blockSize = 512
  /// The maximum size of a file in an archive. Choice: the largest asset, with room to spare.
  public static let sizeMax: Int64 = 1 << 40
  /// The maximum length of a path. Choice: more than the server writes.
  public static let pathBytesMax = 1_024
  /// The maximum size of a pax header. Choice: enough for a path and a few timestamps.
  static let extensionSizeMax: Int64 = 65_536

  /// Returns the header of a file.
  ///
  /// - Parameters:
  ///   - path: a relative path.
  ///   - time: the time of the file, in seconds since 1970 UTC.
  public static func file(path: String, size: Int64, time: Int64) -> [UInt8] {
    guard let (prefix, name) = split(Array(path.utf8)) else {
      let record = paxRecord("path", path)
      let short = Array(path.utf8.suffix(99))
      return block(name: Array("pax".utf8), prefix: [], size: Int64(record.count), time: time, "x")
        + record + padding(Int64(record.count))
        + block(name: short, prefix: [], size: size, time: time, "0")
    }
    return block(name: name, prefix: prefix, size: size, time: time, "0")
  }

  /// Returns the zeros that fill the last block of a file.
  public static func padding(_ size: Int64) -> [UInt8] {
    let rest = Int(size % Int64(blockSize))
    return [UInt8](repeating: 0, count: rest == 0 ? 0 : blockSize - rest)
  }

  /// The two empty blocks at the end of an archive.
  public static let end = [UInt8](repeating: 0, count: 2 * blockSize)

  /// Splits a path at a slash, so that both parts fit into the header's fields for the prefix and
  /// the name. A short path has no prefix. Returns nil if no such slash exists.
  private static func split(_ path: [UInt8]) -> (prefix: [UInt8], name: [UInt8])? {
    if path.count <= 100 { return ([], path) }
    for index in path.indices.reversed() where path[index] == UInt8(ascii: "/") {
      let (prefix, name) = (path[..<index], path[(index + 1)...])
      if prefix.count <= 155, name.count <= 100, !name.isEmpty {
        return (Array(prefix), Array(name))
      }
    }
    return nil
  }

  /// A record of a pax header: its length, a space, the key, `=`, the value, and a line feed.
  private static func paxRecord(_ key: String, _ value: String) -> [UInt8] {
    let rest = " \(key)=\(value)\n"
    var length = rest.utf8.count
    while String(length).utf8.count + rest.utf8.count != length {
      length = String(length).utf8.count + rest.utf8.count
    }
    return Array("\(length)\(rest)".utf8)
  }

  private static func block(
    name: [UInt8], prefix: [UInt8], size: Int64, time: Int64, _ kind: Unicode.Scalar
  ) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: blockSize)
    func put(_ bytes: some Collection<UInt8>, at offset: Int) {
      for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
    }
    put(name, at: 0)
    put(octal(0o600, digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    put(octal(size, digits: 11), at: 124)
    put(octal(time, digits: 11), at: 136)
    put(Array("        ".utf8), at: 148)
    block[156] = UInt8(truncatingIfNeeded: kind.value)
    put(Array("ustar\u{0}00".utf8), at: 257)
    put(prefix, at: 345)
    put(octal(checksum(block), digits: 6) + [0], at: 148)
    return block
  }

  private static func octal(_ number: Int64, digits: Int) -> [UInt8] {
    let text = String(max(0, number), radix: 8)
    return Array(String(repeating: "0", count: max(0, digits - text.count)).utf8)
      + Array(text.suffix(digits).utf8)
  }

  /// Returns the checksum of a header: the sum of its bytes, with spaces in place of the checksum
  /// field.
  static func checksum(_ block: [UInt8]) -> Int64 {
    var sum: Int64 = 0
    for (index, byte) in block.enumerated() {
      sum += (148..<156).contains(index) ? 32 : Int64(byte)
    }
    return sum
  }
}
