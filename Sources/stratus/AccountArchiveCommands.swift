import ArgumentParser
import Foundation
import StratusWire

/// `stratus account export`.
struct ExportAccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all data of an account as a tar archive.",
    discussion: """
      The archive has JSON lines and the files of records. Encrypted values stay encrypted. The \
      export is an entry of the audit log, which the user sees on the account page.
      """)

  @OptionGroup var server: ServerOptions

  @Argument(help: "The account's e-mail address.")
  var email: String

  @Option(help: "The file to create. The default is standard output.")
  var output: String?

  func run() async throws {
    guard output != nil || isatty(STDOUT_FILENO) == 0 else {
      throw Failure("give --output FILE, or redirect standard output into a file")
    }
    let partial = output.map { $0 + ".partial" }
    var target: FileHandle?
    if let output, let partial {
      if access(output, F_OK) == 0 { throw Failure("\(output) exists already") }
      let file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard file >= 0 else {
        throw Failure("\(partial) cannot be created: \(String(cString: strerror(errno)))")
      }
      target = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }
    var cursor: String?
    repeat {
      let piece = try await server.send(ExportAccount.self, .init(email: email, cursor: cursor))
      if let target {
        try target.write(contentsOf: Data(piece.bytes))
      } else {
        StandardOutput.put(piece.bytes)
      }
      cursor = piece.cursor
    } while cursor != nil
    guard let output, let partial, let target else { return }
    try target.synchronize()
    // NB: the file gets its name only when it is complete.
    guard rename(partial, output) == 0 else {
      throw Failure("\(output) cannot be created: \(String(cString: strerror(errno)))")
    }
  }
}

/// `stratus account import`.
struct ImportAccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Write the data of an export into an account, on this or another server.",
    discussion: """
      The account and the containers must exist. Records get new change tags and the present time. \
      Shares are not restored. The command can be repeated: it replaces the records that it has \
      written before. If the server refuses some of the data, the command imports the rest, prints \
      at most 100 refusals with their reasons, and its exit status is not 0.
      """)

  @OptionGroup var server: ServerOptions

  @Argument(help: "A file from 'stratus account export' or from the account page.")
  var file: String

  @Option(help: "The account that gets the data. The default is the address in the archive.")
  var email: String?

  /// The maximum number of refusals that are printed.
  private static let shownMax = 100

  func run() async throws {
    var archive = ArchiveImport(file: file, email: email, server: server)
    // NB: a record may need a record that comes later in the archive. So the refused records are
    // sent again, as long as the server refuses fewer records each time.
    var refused = try await archive.run(only: nil)
    while !refused.isEmpty {
      let next = try await archive.run(only: Set(refused))
      if next.count >= refused.count { break }
      refused = next
    }
    let counts = archive.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    say(counts.isEmpty ? "nothing was imported" : counts.joined(separator: ", "))
    if archive.refusals.isEmpty { return }
    for refusal in archive.refusals.prefix(Self.shownMax) {
      complain("not restored: \(refusal.kind) \(refusal.name): \(refusal.reason)")
    }
    throw Failure("\(archive.refusals.count) things of the archive were not restored")
  }
}

/// Sends the contents of an archive to the server.
private struct ArchiveImport {
  /// The maximum number of refusals that the command remembers. Choice: each needs a few hundred
  /// bytes of memory.
  private static let refusalsMax = 100_000
  private static let pieceBytes = 1_048_576

  let file: String
  var email: String?
  let server: ServerOptions
  private(set) var counts: [String: Int64] = [:]
  private(set) var refusals: [ImportRefusal] = []

  private var session: String?
  private var place: (containerID: String, environment: ContainerEnvironment)?
  private var formerName = ""
  private var batch = ImportBatch()
  private var isComplete = false

  init(file: String, email: String?, server: ServerOptions) {
    self.file = file
    self.email = email
    self.server = server
  }

  /// Reads the archive from its beginning to its end, and sends its contents to the server.
  ///
  /// - Parameter names: the names of the records to send. Nil means all contents of the archive.
  /// - Returns: the names of the refused records.
  mutating func run(only names: Set<String>?) async throws -> [String] {
    guard let handle = FileHandle(forReadingAtPath: file) else {
      throw Failure("\(file) cannot be read")
    }
    defer { try? handle.close() }
    let earlier = refusals.filter { $0.kind != "record" }
    refusals = names == nil ? [] : earlier
    isComplete = false
    var reader = TarReader()
    var line: [UInt8] = []
    var asset: (checksum: String, size: Int64, offset: Int64)?
    var isLines = false
    do {
      while let data = try handle.read(upToCount: Self.pieceBytes), !data.isEmpty {
        reader.add(Array(data))
        while let event = try reader.next() {
          switch event {
          case .file(let path, let size):
            (asset, isLines) = try await begin(path, size, sendsAssets: names == nil)
            if let asset, asset.size == 0 { try await send([], of: asset) }
          case .bytes(let bytes):
            if var piece = asset {
              piece.offset = try await send(bytes, of: piece)
              asset = piece
            } else if isLines {
              try await take(bytes, &line, only: names)
            }
          case .fileEnd:
            if isLines, !line.isEmpty { throw Failure("the archive is damaged: a line has no end") }
            (asset, isLines) = (nil, false)
          case .end: break
          }
        }
      }
    } catch let error as WireError {
      throw Failure(error.reason)
    }
    try await flush()
    guard reader.isComplete, isComplete else {
      throw Failure("the archive \(file) is not complete; export the account again")
    }
    return refusals.filter { $0.kind == "record" }.map(\.name)
  }

  /// Begins a file of the archive: a file of JSON lines or an asset. Other files are ignored.
  private mutating func begin(
    _ path: String, _ size: Int64, sendsAssets: Bool
  ) async throws -> (asset: (checksum: String, size: Int64, offset: Int64)?, isLines: Bool) {
    let parts = path.split(separator: "/").map(String.init)
    if path.hasSuffix(".jsonl") { return (nil, true) }
    guard parts.count == 4, parts[2] == "assets",
      let environment = ContainerEnvironment(rawValue: parts[1])
    else { return (nil, false) }
    // NB: an asset belongs to the store that the last line of the kind `store` before it names.
    guard let place, place.containerID == parts[0], place.environment == environment else {
      throw Failure("the archive is damaged: a file lies in another folder than its records")
    }
    try await flush()
    return sendsAssets ? ((parts[3], size, 0), false) : (nil, false)
  }

  private mutating func take(
    _ bytes: [UInt8], _ line: inout [UInt8], only names: Set<String>?
  ) async throws {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try await take(line: line + rest[..<end], only: names)
      line = []
      rest = rest[(end + 1)...]
    }
    line += rest
    guard line.count <= Limits.archiveLineBytesMax else {
      throw Failure("the archive is damaged: a line is too long")
    }
  }

  private mutating func take(line text: [UInt8], only names: Set<String>?) async throws {
    guard text.count <= Limits.archiveLineBytesMax else {
      throw Failure("the archive is damaged: a line is too long")
    }
    let line = try ArchiveLine(jsonBytes: text)
    switch line {
    case .note(let note):
      if note.kind == "export", let format = note.numbers["format"], format > ArchiveLine.format {
        throw Failure("the archive is from a later version of Stratus; update this server first")
      }
      if note.kind == "account", email == nil { email = note.texts["email"] }
    case .end: isComplete = true
    case .store(let containerID, let environment, let userRecordName):
      try await flush()
      place = (containerID, environment)
      formerName = userRecordName
    case .record(_, let record):
      if let names, !names.contains(record.name) { return }
      try await add(line, text.count)
    case .userKey, .zone, .zoneKey, .subscription:
      if names == nil { try await add(line, text.count) }
    }
  }

  private mutating func add(_ line: ArchiveLine, _ count: Int) async throws {
    guard place != nil else { throw Failure("the archive is damaged: a record has no container") }
    guard count <= ImportBatch.lineBytesMax else { return refuse(line) }
    if !batch.hasRoom(forBytes: count) { try await flush() }
    batch.append(line, bytes: count)
  }

  /// Adds a refusal for a line that no request can contain.
  private mutating func refuse(_ line: ArchiveLine) {
    var (kind, name) = ("line", "")
    if case .record(_, let record) = line { (kind, name) = ("record", record.name) }
    note([
      ImportRefusal(kind: kind, name: name, reason: "its JSON text is too large for a request")
    ])
  }

  private mutating func note(_ refusals: [ImportRefusal]) {
    let room = max(0, Self.refusalsMax - self.refusals.count)
    self.refusals += refusals.prefix(room)
  }

  private mutating func flush() async throws {
    let lines = batch.take()
    if lines.isEmpty { return }
    let answer = try await request(lines: lines)
    for (kind, count) in answer.counts { counts[kind, default: 0] += count }
    note(answer.refusals)
  }

  /// Sends bytes of an asset.
  ///
  /// - Returns: the offset of the next bytes.
  @discardableResult
  private mutating func send(
    _ bytes: [UInt8], of asset: (checksum: String, size: Int64, offset: Int64)
  ) async throws -> Int64 {
    let end = asset.offset + Int64(bytes.count)
    let answer = try await request(
      asset: ImportAccount.AssetPiece(
        checksum: asset.checksum, size: asset.size, offset: asset.offset, bytes: bytes))
    // NB: if the server already has the asset, it answers with the size of the whole asset.
    guard let received = answer.received, received >= end else {
      throw Failure("the server lost a part of a file; run the command again")
    }
    return end
  }

  private mutating func request(
    lines: [ArchiveLine] = [], asset: ImportAccount.AssetPiece? = nil
  ) async throws -> ImportAccount.Response {
    guard let place else { throw Failure("the archive is damaged: a file has no container") }
    guard let email else { throw Failure("the archive names no account; give --email") }
    let answer = try await server.send(
      ImportAccount.self,
      ImportAccount.Request(
        email: email, session: session, containerID: place.containerID,
        environment: place.environment, formerName: formerName, lines: lines, asset: asset))
    session = answer.session
    return answer
  }
}
