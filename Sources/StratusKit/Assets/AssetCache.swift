import Foundation
import StratusTransport
import Synchronization

/// Stores fetched files. Equal contents are cached once, but every asset gets its own file.
///
/// The variable `STRATUS_CACHE` names the cache folder. Without the variable, the cache folder is
/// `stratus` in `XDG_CACHE_HOME` or in `~/.cache`, or else a subfolder of the system's temporary
/// folder. Only the owner of the folder can read it.
///
/// The cache folder has a subfolder `assets` with three folders. `files` contains the cached
/// contents, named by their checksums. `staged` contains the files of assets, which apps may move
/// or change. `partial` contains unfinished downloads.
final class AssetCache: Sendable {
  private let folder: URL
  private let limits: Limits
  private let now: @Sendable () -> Date
  private let newID: @Sendable () -> String
  private let locks = KeyedLocks()
  /// The number of bytes that were added since the last trim; nil until this process uses the
  /// cache.
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

  /// Returns the cache folder for the environment variables of a process.
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

  private func location(of name: String, in part: Part) -> URL {
    folder(of: part).appendingPathComponent(name, isDirectory: false)
  }

  /// Returns the URL of a new file with the given contents, for one asset.
  ///
  /// - Parameters:
  ///   - checksum: the SHA-256 checksum of the contents.
  ///   - download: fetches the contents if they are not cached. It is called a second time if the
  ///     first result was damaged.
  /// - Throws: the errors of `download`, and `CKError.assetNotAvailable` if the contents are
  ///   damaged or cannot be stored.
  func file(
    checksum: [UInt8], size: Int64,
    download: (IncomingFile) async throws(CKError) -> Void
  ) async throws(CKError) -> URL {
    let name = checksum.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
      .joined()
    await locks.take(name)
    defer { locks.pass(name) }
    try prepare()
    if let file = handOut(name, checksum: checksum, isVerified: false) { return file }
    for _ in 1...2 {
      let partial = location(of: newID(), in: .partial)
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
    throw CKError(.assetNotAvailable, description: "the file is damaged after the download")
  }

  private func prepare() throws(CKError) {
    do {
      for part in Part.allCases { try Self.make(folder(of: part)) }
    } catch {
      throw CKError(
        downloading: .file(
          .inaccessible("the folder for fetched files, \(folder.path), cannot be created")))
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
    // NB: trim before the new file is added. Otherwise the trim could remove the new file.
    if isDue { trim() }
    if rename(partial.path, location(of: name, in: .files).path) == 0,
      let file = handOut(name, checksum: checksum, isVerified: true)
    {
      return file
    }
    throw CKError(downloading: .file(.inaccessible("the fetched file cannot be stored")))
  }

  /// Makes a staged file from the cached contents with this name.
  ///
  /// An asset gets a hard link to the cached file if no other asset's file is linked to it;
  /// otherwise it gets a copy. An app may write to the file that it got, even if that file is
  /// linked to the cached file. The contents are therefore verified before each use, so that such a
  /// change never reaches another asset.
  /// - Returns: nil if the contents are not cached, if the cached file has been modified, or if no
  ///   staged file can be made.
  private func handOut(_ name: String, checksum: [UInt8], isVerified: Bool) -> URL? {
    let cached = location(of: name, in: .files)
    guard let identity = FileIdentity(at: cached) else { return nil }
    let staged = location(of: stagedName(), in: .staged)
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

  /// Returns a unique file name. It starts with the current time in seconds, from which `trim()`
  /// computes the file's age.
  private func stagedName() -> String { "\(seconds(now()))-\(newID())" }

  private func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }

  /// Removes expired files, and then the oldest files until the cache is small enough. A file that
  /// has not reached its minimum lifetime stays in any case.
  func trim() {
    let now = seconds(now())
    var kept: [TrimmableFile] = []
    for part in Part.allCases {
      let names =
        (try? FileManager.default.contentsOfDirectory(atPath: folder(of: part).path)) ?? []
      for name in names {
        let url = location(of: name, in: part)
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
  /// The number of seconds since the file was added or was given to an asset.
  let age: Int64

  /// The number of bytes that this file adds to the cache. A file with two hard links is counted
  /// once, as a staged file.
  var ownBytes: Int64 { part == .files && identity.linksCount > 1 ? 0 : identity.size }
}

extension AssetCache {
  /// The size and age limits of the cache.
  ///
  /// Choice: all these values are our own. Apple documents no values, because Apple's systems
  /// decide themselves when they remove files.
  struct Limits: Sendable {
    /// The maximum size of the cache in bytes: 1 GiB. If the cache is larger, the oldest files are
    /// removed.
    var bytesMax: Int64 = 1_073_741_824
    /// The number of bytes that may be added before the next trim.
    var trimmingStepBytes: Int64 = 67_108_864
    /// The minimum lifetime of a staged file in seconds: one hour. An app can rely on the file for
    /// this time.
    var stagedSecondsMin: Int64 = 3_600
    /// The maximum lifetime of a staged file in seconds: one week. Then the file is removed, unless
    /// the app has moved it.
    var stagedSecondsMax: Int64 = 604_800
    /// The maximum age of unused contents in seconds: thirty days.
    var fileSecondsMax: Int64 = 2_592_000
    /// The maximum age of an unfinished download in seconds: one day. An older download is removed.
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
