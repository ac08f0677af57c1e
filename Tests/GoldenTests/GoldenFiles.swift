import Foundation
import StratusFoundation
import Testing

@testable import StratusKit

/// Files that earlier releases wrote. See docs/internals/golden-files.md.
enum GoldenFiles {
  /// The last release before work on sharing began.
  static let beforeSharing = "2026-11-before-sharing"
  /// The first release with sharing, sign-up and quotas.
  static let sharing = "2026-11-sharing"
  /// The last release in which the numbers in change tags, notifications and zone tokens came from
  /// counters of all users together.
  static let rights = "2026-11-rights"

  static let folder = folder(of: beforeSharing)

  static func folder(of release: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Golden/\(release)")
  }

  static let golden = "iCloud.org.example.Golden"
  static let second = "iCloud.org.example.Second"
  static let program = "golden-app"
  /// The time when that release's server was started: 1 November 2026, noon, UTC.
  static let start = Date(timeIntervalSince1970: 1_793_534_400)
  static let notes = CKRecordZone.ID(zoneName: "Notes")

  static func id(_ name: String, in zone: CKRecordZone.ID = notes) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zone)
  }

  /// Returns a token, name or change tag that an app may have stored as text.
  static func text(_ name: String, of release: String = beforeSharing) throws -> String {
    let data = try Data(contentsOf: folder(of: release).appending(path: "texts.json"))
    let texts = try JSONDecoder().decode([String: String].self, from: data)
    return try #require(texts[name], "texts.json has no \(name)")
  }

  static func archive(_ name: String, of release: String = beforeSharing) throws -> Data {
    try Data(contentsOf: folder(of: release).appending(path: "archives/\(name).archive"))
  }

  /// Returns an archived object. It is decoded in the same way as in apps.
  static func object<Value: NSObject & NSSecureCoding>(
    _ name: String, of type: Value.Type, by release: String = beforeSharing
  ) throws -> Value {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: type, from: archive(name, of: release)))
  }

  /// Returns a sync engine's state from one of the formats in which apps store it.
  static func engineState(
    _ name: String, _ form: String = "json"
  ) throws -> CKSyncEngine.State.Serialization {
    let data = try Data(contentsOf: folder.appending(path: "engine-states/\(name).\(form)"))
    if form == "json" {
      return try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
    }
    return try PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: data)
  }

  /// Copies files to a new folder, and makes the copies readable only by their owner, as the
  /// framework requires. Git does not store this permission.
  ///
  /// NB: the copies have today's date. The framework would remove operations with an old date.
  static func copy(
    _ name: String, of release: String = beforeSharing, to target: URL
  ) throws {
    let source = folder(of: release).appending(path: name)
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: source.path, isDirectory: &isFolder) else {
      throw CocoaError(.fileNoSuchFile)
    }
    guard isFolder.boolValue else {
      let isMade = files.createFile(
        atPath: target.path, contents: try Data(contentsOf: source),
        attributes: [.posixPermissions: 0o600])
      if !isMade { throw CocoaError(.fileWriteUnknown) }
      return
    }
    try files.createDirectory(
      at: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for entry in try files.contentsOfDirectory(atPath: source.path) {
      try copy("\(name)/\(entry)", of: release, to: target.appending(path: entry))
    }
  }
}

/// A temporary folder. It is removed when this object is released.
final class ScratchFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "stratus-test-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
