/// Reads a tar archive from pieces of bytes, in bounded memory.
///
/// The reader accepts plain files and folders in the formats ustar and pax. It refuses links,
/// devices, sparse files, absolute paths, and paths that contain `..`. It never writes a file.
public struct TarReader {
  /// A part of an archive.
  public enum Event: Sendable, Hashable {
    /// A file begins.
    case file(path: String, size: Int64)
    /// The next bytes of the file.
    case bytes([UInt8])
    /// All bytes of the file were returned.
    case fileEnd
    /// The archive is complete.
    case end
  }

  /// The maximum number of files. Choice: far more than an ordinary account has. The headers of
  /// this many files alone take 25 GB.
  public static let filesMax = 50_000_000
  /// The maximum number of bytes of one event.
  private static let eventBytesMax = 262_144

  private enum State: Hashable {
    case header
    case file(left: Int64, padding: Int)
    case pax(left: Int64, padding: Int)
    case skipping(Int64)
    case ended
  }

  private var state = State.header
  private var buffer: [UInt8] = []
  private var position = 0
  private var extensions: [UInt8] = []
  private var path: String?
  private var size: Int64?
  private var emptyBlocks = 0
  private var filesCount = 0

  public init() {}

  /// Adds the next bytes of the archive. Call ``next()`` until it returns nil before adding more.
  public mutating func add(_ bytes: [UInt8]) {
    if position > 0 {
      buffer.removeFirst(position)
      position = 0
    }
    buffer += bytes
  }

  /// Whether the end of the archive was read, so that no more bytes are needed.
  public var isComplete: Bool { state == .ended }

  /// Returns the next event, or nil if more bytes are needed.
  ///
  /// - Throws: ``WireError`` if the archive is damaged, or has something that is not accepted.
  public mutating func next() throws(WireError) -> Event? {
    while true {
      switch state {
      case .ended: return nil
      case .header:
        guard let block = take(exactly: TarHeader.blockSize) else { return nil }
        if let event = try begin(block) { return event }
      case .file(let left, let padding):
        if left > 0 {
          let bytes = take(atMost: Int(min(left, Int64(Self.eventBytesMax))))
          if bytes.isEmpty { return nil }
          state = .file(left: left - Int64(bytes.count), padding: padding)
          return .bytes(bytes)
        }
        state = .skipping(Int64(padding))
        return .fileEnd
      case .pax(let left, let padding):
        if left == 0 {
          try readExtensions()
          state = .skipping(Int64(padding))
          continue
        }
        let bytes = take(atMost: Int(left))
        if bytes.isEmpty { return nil }
        extensions += bytes
        state = .pax(left: left - Int64(bytes.count), padding: padding)
      case .skipping(let left):
        if left == 0 {
          state = .header
          continue
        }
        let bytes = take(atMost: Int(min(left, Int64(Self.eventBytesMax))))
        if bytes.isEmpty { return nil }
        state = .skipping(left - Int64(bytes.count))
      }
    }
  }

  private mutating func take(exactly count: Int) -> [UInt8]? {
    guard buffer.count - position >= count else { return nil }
    return take(atMost: count)
  }

  private mutating func take(atMost count: Int) -> [UInt8] {
    let end = min(buffer.count, position + count)
    defer { position = end }
    return Array(buffer[position..<end])
  }

  private mutating func begin(_ block: [UInt8]) throws(WireError) -> Event? {
    if block.allSatisfy({ $0 == 0 }) {
      emptyBlocks += 1
      guard emptyBlocks == 2 else { return nil }
      state = .ended
      return .end
    }
    guard emptyBlocks == 0 else { throw Self.damaged("a block follows an empty block") }
    guard Self.octal(block[148..<156]) == TarHeader.checksum(block) else {
      throw Self.damaged("the checksum of a header is wrong")
    }
    guard block[257..<262].elementsEqual("ustar".utf8) else {
      throw Self.damaged("a header is not in the format ustar or pax")
    }
    guard let stated = Self.octal(block[124..<136]) else {
      throw Self.damaged("the size of a file cannot be read")
    }
    let kind = block[156]
    switch kind {
    case UInt8(ascii: "x"):
      guard path == nil, size == nil else {
        throw Self.damaged("two pax headers follow each other")
      }
      try beginExtensions(stated)
      return nil
    case UInt8(ascii: "g"):
      // This pax header belongs to the whole archive. For example, it contains a comment. The
      // reader ignores it.
      guard stated <= TarHeader.extensionSizeMax else {
        throw Self.damaged("a pax header is too large")
      }
      state = .skipping(stated + Int64(TarHeader.padding(stated).count))
      return nil
    case 0, UInt8(ascii: "0"), UInt8(ascii: "5"): break
    default: throw Self.damaged("it contains a link or a device, which an export never has")
    }
    let name: String
    if let path { name = path } else { name = try Self.path(of: block) }
    let size = self.size ?? stated
    (path, self.size) = (nil, nil)
    guard size <= TarHeader.sizeMax else { throw Self.damaged("a file is too large") }
    try Self.check(name)
    filesCount += 1
    guard filesCount <= Self.filesMax else { throw Self.damaged("it has too many files") }
    if kind == UInt8(ascii: "5") {
      guard size == 0 else { throw Self.damaged("a folder has contents") }
      return nil
    }
    state = .file(left: size, padding: TarHeader.padding(size).count)
    return .file(path: name, size: size)
  }

  private mutating func beginExtensions(_ size: Int64) throws(WireError) {
    guard size <= TarHeader.extensionSizeMax else {
      throw Self.damaged("a pax header is too large")
    }
    extensions = []
    state = .pax(left: size, padding: TarHeader.padding(size).count)
  }

  /// Reads the records of a pax header. Only `path` and `size` have a meaning here.
  private mutating func readExtensions() throws(WireError) {
    var rest = extensions[...]
    extensions = []
    while !rest.isEmpty {
      guard let space = rest.firstIndex(of: UInt8(ascii: " ")),
        let length = Self.decimal(rest[..<space]), length > 0, length <= rest.count
      else { throw Self.damaged("a pax header cannot be read") }
      let record = rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
      guard record.last == UInt8(ascii: "\n"), record.endIndex > space + 1 else {
        throw Self.damaged("a pax header cannot be read")
      }
      let body = record[(space + 1)...].dropLast()
      guard let equals = body.firstIndex(of: UInt8(ascii: "=")) else {
        throw Self.damaged("a pax header cannot be read")
      }
      let (key, value) = (body[..<equals], body[(equals + 1)...])
      if key.elementsEqual("path".utf8) {
        guard let text = String(validating: value, as: UTF8.self) else {
          throw Self.damaged("a path is not UTF-8")
        }
        path = text
      } else if key.elementsEqual("size".utf8) {
        guard let number = Self.decimal(value) else {
          throw Self.damaged("the size of a file cannot be read")
        }
        size = number
      } else if key.starts(with: "GNU.sparse".utf8) {
        throw Self.damaged("it contains a sparse file, which an export never has")
      }
    }
  }

  private static func path(of block: [UInt8]) throws(WireError) -> String {
    let name = block[0..<100].prefix { $0 != 0 }
    let prefix = block[345..<500].prefix { $0 != 0 }
    // NB: the old format of GNU uses the bytes of the prefix for times.
    let isPOSIX = block[262] == 0
    let folder = prefix.isEmpty || !isPOSIX ? [] : Array(prefix) + [UInt8(ascii: "/")]
    let bytes = folder + Array(name)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw damaged("a path is not UTF-8")
    }
    return text
  }

  private static func check(_ path: String) throws(WireError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, path.utf8.count <= TarHeader.pathBytesMax, !path.hasPrefix("/"),
      !parts.contains(".."), !path.utf8.contains(where: { $0 < 32 || $0 == 127 })
    else { throw damaged("a path is not allowed") }
  }

  /// Reads an octal number up to the first space or zero byte after it. Returns nil if there are no
  /// octal digits, or if the number is too large.
  private static func octal(_ field: ArraySlice<UInt8>) -> Int64? {
    let digits = field.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
    if digits.isEmpty { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard (48..<56).contains(digit), number < 1 << 56 else { return nil }
      number = number * 8 + Int64(digit - 48)
    }
    return number
  }

  private static func decimal(_ field: ArraySlice<UInt8>) -> Int64? {
    guard (1...15).contains(field.count) else { return nil }
    var number: Int64 = 0
    for digit in field {
      guard (48..<58).contains(digit) else { return nil }
      number = number * 10 + Int64(digit - 48)
    }
    return number
  }

  private static func damaged(_ fault: String) -> WireError {
    WireError("the archive cannot be read: \(fault)")
  }
}
