import Foundation
import StratusTransport
import Synchronization

/// The files that were fetched: each content once, and a file for every asset.
///
/// It lies in `STRATUS_CACHE`, else in `stratus` under `XDG_CACHE_HOME` or `~/.cache`, else in the
/// system's temporary folder; readable by its owner only. `files` has the contents, by checksum;
/// `staged` what assets were given, which apps may move or change; `partial` what is on its way.
final class AssetCache: Sendable {
  private let folder: URL
  private let limits: Limits
  private let now: @Sendable () -> Date
  private let newID: @Sendable () -> String
  private let turns = Turns()
  /// Bytes that came since it was last trimmed; nil: not yet used.
  private let untrimmedBytes = Mutex<Int64?>(nil)

  init(
    in folder: URL, limits: Limits = Limits(), now: @escaping @Sendable () -> Date,
    newID: @escaping @Sendable () -> String
  ) {
    self.folder = folder.standardizedFileURL
    self.limits = limits
    self.now = now
    self.newID = newID
  }

  /// Where the cache lies, by a process's environment.
  static func folder(environmentVariables variables: [String: String], temporary: URL) -> URL {
    if let folder = variables["STRATUS_CACHE"], !folder.isEmpty {
      return URL(fileURLWithPath: folder, isDirectory: true)
    }
    var candidates: [String] = []
    if let caches = variables["XDG_CACHE_HOME"], caches.hasPrefix("/") { candidates.append(caches) }
    if let home = variables["HOME"], home.hasPrefix("/") { candidates.append(home + "/.cache") }
    for candidate in candidates {
      let folder = URL(fileURLWithPath: candidate, isDirectory: true)
        .appendingPathComponent("stratus", isDirectory: true)
      if (try? make(folder)) != nil { return folder }
    }
    return temporary
  }

  private static func make(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  enum Part: String, CaseIterable { case files, staged, partial }

  func folder(of part: Part) -> URL {
    folder.appendingPathComponent("assets/" + part.rawValue, isDirectory: true)
  }

  private func place(_ name: String, in part: Part) -> URL {
    folder(of: part).appendingPathComponent(name, isDirectory: false)
  }

  /// A file with certain contents, for one asset.
  ///
  /// - Parameters:
  ///   - checksum: SHA-256 of the contents.
  ///   - download: brings them, if they are not here already; asked a second time if what came
  ///     was damaged.
  /// - Throws: what `download` throws; `CKError.assetNotAvailable`.
  func file(
    checksum: [UInt8], size: Int64,
    download: (IncomingFile) async throws(CKError) -> Void
  ) async throws(CKError) -> URL {
    let name = checksum.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
      .joined()
    await turns.take(name)
    defer { turns.pass(name) }
    try prepare()
    if let file = handOut(name, checksum: checksum, isVerified: false) { return file }
    for _ in 1...2 {
      let partial = place(newID(), in: .partial)
      defer { try? FileManager.default.removeItem(at: partial) }
      let file: IncomingFile
      do throws(FileFailure) {
        file = try IncomingFile(at: partial, size: size)
      } catch {
        throw CKError(downloading: .file(error))
      }
      try await download(file)
      if file.checksum() == checksum { return try keep(partial, as: name, checksum: checksum) }
    }
    throw CKError(.assetNotAvailable, description: "the file arrives damaged")
  }

  private func prepare() throws(CKError) {
    do {
      for part in Part.allCases { try Self.make(folder(of: part)) }
    } catch {
      throw CKError(
        downloading: .file(
          .inaccessible("the folder for fetched files, \(folder.path), cannot be made")))
    }
    let isNew = untrimmedBytes.withLock { bytes in
      defer { bytes = bytes ?? 0 }
      return bytes == nil
    }
    if isNew { trim() }
  }

  private func keep(
    _ partial: URL, as name: String, checksum: [UInt8]
  ) throws(CKError) -> URL {
    let size = FileIdentity(at: partial)?.size ?? 0
    let isDue = untrimmedBytes.withLock { bytes in
      let sum = (bytes ?? 0) + size
      bytes = sum >= limits.trimmingStepBytes ? 0 : sum
      return sum >= limits.trimmingStepBytes
    }
    // NB: before the new file comes, so that it is not the one to go.
    if isDue { trim() }
    if rename(partial.path, place(name, in: .files).path) == 0,
      let file = handOut(name, checksum: checksum, isVerified: true)
    {
      return file
    }
    throw CKError(downloading: .file(.inaccessible("the fetched file cannot be kept")))
  }

  /// A staged file with the contents of that name; nil if they are not here, or not as they were.
  ///
  /// The first asset shares the file, the others get copies: an app may write to what it was
  /// given, and must not change what others see. So contents are looked at again before each use.
  private func handOut(_ name: String, checksum: [UInt8], isVerified: Bool) -> URL? {
    let cached = place(name, in: .files)
    guard let identity = FileIdentity(at: cached) else { return nil }
    let staged = place(stagedName(), in: .staged)
    if identity.linksCount == 1 {
      guard isVerified || (try? FileChecksum.of(cached)) == checksum else {
        try? FileManager.default.removeItem(at: cached)
        return nil
      }
      if link(cached.path, staged.path) == 0 { return staged }
    }
    if (try? FileChecksum.copy(cached, to: staged)) == checksum { return staged }
    try? FileManager.default.removeItem(at: staged)
    try? FileManager.default.removeItem(at: cached)
    return nil
  }

  /// Begins with the time, by which it is trimmed.
  private func stagedName() -> String { "\(seconds(now()))-\(newID())" }

  private func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }

  /// Removes what is old, and of the rest the oldest until it is small enough.
  func trim() {
    let now = seconds(now())
    var kept: [TrimmableFile] = []
    for part in Part.allCases {
      let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder(of: part).path)) ?? []
      for name in names {
        let url = place(name, in: part)
        guard let identity = FileIdentity(at: url) else { continue }
        let given = part == .staged ? name.split(separator: "-").first.flatMap { Int64($0) } : nil
        let file = TrimmableFile(
          url: url, identity: identity, part: part, age: now - (given ?? identity.changed))
        if file.age > limits.ageSecondsMax(of: part) {
          try? FileManager.default.removeItem(at: url)
        } else {
          kept.append(file)
        }
      }
    }
    var bytes = kept.reduce(0) { $0 + $1.ownBytes }
    for file in kept.sorted(by: { $0.age > $1.age }) where bytes > limits.bytesMax {
      guard file.age >= limits.ageSecondsMin(of: file.part) else { continue }
      try? FileManager.default.removeItem(at: file.url)
      bytes -= file.ownBytes
    }
  }
}

private struct TrimmableFile {
  let url: URL
  let identity: FileIdentity
  let part: AssetCache.Part
  /// Seconds since it came or was handed out.
  let age: Int64

  /// A file of two names counts once, where it was handed out.
  var ownBytes: Int64 { part == .files && identity.linksCount > 1 ? 0 : identity.size }
}

extension AssetCache {
  /// How large and how old it may become.
  ///
  /// Choice: Apple's systems clean up as they see fit.
  struct Limits: Sendable {
    /// 1 GiB, above which the oldest goes.
    var bytesMax: Int64 = 1_073_741_824
    /// Bytes that may come before it is trimmed again.
    var trimmingStepBytes: Int64 = 67_108_864
    /// An hour, in which an app can count on the file it was given.
    var stagedSecondsMin: Int64 = 3_600
    /// A week after which what was given to an app goes, if the app has not moved it.
    var stagedSecondsMax: Int64 = 604_800
    /// Thirty days after which contents go that nobody has asked for.
    var fileSecondsMax: Int64 = 2_592_000
    /// A day after which a download counts as abandoned.
    var partialSecondsMax: Int64 = 86_400

    func ageSecondsMax(of part: Part) -> Int64 {
      switch part {
      case .files: fileSecondsMax
      case .staged: stagedSecondsMax
      case .partial: partialSecondsMax
      }
    }

    func ageSecondsMin(of part: Part) -> Int64 {
      switch part {
      case .files: 0
      case .staged: stagedSecondsMin
      case .partial: partialSecondsMax
      }
    }
  }
}
