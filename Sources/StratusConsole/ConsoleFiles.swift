import StratusConsoleFiles

/// The files of the console's front end.
public protocol ConsoleFileSource: Sendable {
  /// Whether the content of a path never changes, so that browsers may keep it.
  var isFixed: Bool { get }
  /// The page that a browser gets at the path of every screen.
  var page: ConsoleFiles.File { get }
  /// Returns the file at the path of a URL, such as `/files/HASH/main.js`, or nil if there is none.
  func file(at path: String) -> ConsoleFiles.File?
}

/// The files of the console's front end, which the program contains.
///
/// All files except the page are below a folder whose name is a hash of all files. A browser may
/// therefore keep them for as long as it wants, and modules can import each other by relative
/// paths.
public struct ConsoleFiles: ConsoleFileSource {
  /// The content of a file, and the header field that describes it in an answer.
  public struct File: Sendable, Hashable {
    /// The value of the header field `Content-Type`.
    public var contentType: String
    public var bytes: [UInt8]

    public init(contentType: String, bytes: [UInt8]) {
      self.contentType = contentType
      self.bytes = bytes
    }
  }

  /// The folder in the URLs of the files.
  public static let folder = "/files/"

  package static let pagePath = "index.html"
  package static let placeholder = "HASH"

  public var isFixed: Bool { true }
  /// The hash of all files, in hex digits.
  public let hash: String
  /// The page that a browser gets at the path of every screen.
  public let page: File
  private let files: [String: File]

  /// Reads the files that the program contains.
  public init() {
    var contents: [String: [UInt8]] = [:]
    for position in 0..<stratus_console_files_count() {
      let file = stratus_console_file(position)
      guard let path = file.path else { continue }
      contents[String(cString: path)] = Array(
        UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
    self.init(contents)
  }

  /// - Parameter contents: the bytes of the files by their paths.
  init(_ contents: [String: [UInt8]]) {
    hash = Self.hash(of: contents)
    let text = String(decoding: contents[Self.pagePath] ?? [], as: UTF8.self)
    page = File(
      contentType: "text/html; charset=utf-8",
      bytes: Array(text.split(separator: Self.placeholder).joined(separator: hash).utf8))
    var files: [String: File] = [:]
    for (path, bytes) in contents where path != Self.pagePath {
      files[path] = File(contentType: Self.contentType(of: path), bytes: bytes)
    }
    self.files = files
  }

  /// Returns the file at the path of a URL, such as `/files/HASH/main.js`. Returns nil if there is
  /// no such file, or if the hash is that of another version of the program.
  public func file(at path: String) -> File? {
    let prefix = Self.folder + hash + "/"
    guard path.hasPrefix(prefix) else { return nil }
    return files[String(path.dropFirst(prefix.count))]
  }

  package static func contentType(of path: String) -> String {
    if path.hasSuffix(".js") { return "text/javascript; charset=utf-8" }
    if path.hasSuffix(".css") { return "text/css; charset=utf-8" }
    if path.hasSuffix(".svg") { return "image/svg+xml" }
    return "application/octet-stream"
  }

  /// Computes the hash with FNV-1a. The hash only has to differ between versions, so it need not
  /// resist attacks.
  private static func hash(of contents: [String: [UInt8]]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      path.utf8.forEach(add)
      add(0)
      bytes.forEach(add)
      add(0)
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The header fields with which the console's files are served.
public enum ConsoleHeaders {
  /// The content security policy. With it, the browser runs only the scripts of the console's
  /// files. See `docs/internals/console.md`.
  public static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  /// The header fields of every answer of the console.
  public static let all: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
  ]
}
