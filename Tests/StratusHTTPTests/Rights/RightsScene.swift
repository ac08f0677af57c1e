import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

/// The files of an export.
struct ExportedArchive {
  let bytes: [UInt8]
  /// The lines of the JSON files in their order, with the path of the file.
  let lines: [(path: String, json: JSON)]
  /// The contents of the assets by path.
  let assets: [String: [UInt8]]

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    var reader = TarReader()
    var (path, contents): (String, [UInt8]) = ("", [])
    var lines: [(path: String, json: JSON)] = []
    var assets: [String: [UInt8]] = [:]
    reader.add(bytes)
    while let event = try reader.next() {
      switch event {
      case .file(let name, _): (path, contents) = (name, [])
      case .bytes(let more): contents += more
      case .fileEnd where path.hasSuffix(".jsonl"):
        for line in contents.split(separator: UInt8(ascii: "\n")) {
          lines.append((path, try JSON(parsing: Array(line))))
        }
      case .fileEnd: assets[path] = contents
      case .end: break
      }
    }
    try #require(reader.isComplete)
    (self.lines, self.assets) = (lines, assets)
  }

  func lines(_ kind: String) -> [JSON] {
    lines.map { $0.json }.filter { $0["kind"] == .string(kind) }
  }

  func record(_ name: String) -> JSON? {
    lines("record").first { $0["recordName"] == .string(name) }
  }
}

extension TestServer {
  /// Exports an account piece by piece, as the command does.
  func export(_ email: String) async throws -> ExportedArchive {
    var (bytes, cursor): ([UInt8], JSON) = ([], nil)
    repeat {
      let answer = try await manage(
        "accounts/export", ["email": .string(email), "cursor": cursor])
      let text = try #require(answer["bytes"].string)
      bytes += try #require(Data(base64Encoded: text))
      cursor = answer["cursor"]
    } while !cursor.isNull
    return try ExportedArchive(bytes)
  }

  /// Imports an archive, as the command does in its first run.
  ///
  /// - Returns: the refusals.
  @discardableResult
  func importArchive(_ archive: ExportedArchive, into email: String) async throws -> [JSON] {
    var refusals: [JSON] = []
    var (place, name, session): (JSON, JSON, JSON) = ([:], "", nil)
    for (path, contents) in archive.assets {
      let parts = path.split(separator: "/").map(String.init)
      for start in stride(from: 0, to: contents.count, by: ImportAccount.assetBytesMax) {
        let piece = contents[start..<min(start + ImportAccount.assetBytesMax, contents.count)]
        let asset: JSON = [
          "checksum": .string(parts[3]), "size": .int(Int64(contents.count)),
          "offset": .int(Int64(start)), "bytes": .string(Data(piece).base64EncodedString()),
        ]
        let answer = try await manage(
          "accounts/import",
          [
            "email": .string(email), "containerID": .string(parts[0]),
            "environment": .string(parts[1]), "asset": asset, "session": session,
          ])
        session = answer["session"]
        try #require(try #require(answer["received"].integer) >= Int64(start + piece.count))
      }
    }
    for (_, line) in archive.lines {
      if line["kind"] == "store" { (place, name) = (line, line["userRecordName"]) }
      if place["containerID"].isNull { continue }
      let answer = try await manage(
        "accounts/import",
        [
          "email": .string(email), "containerID": place["containerID"],
          "environment": place["environment"], "formerName": name, "lines": [line],
          "session": session,
        ])
      session = answer["session"]
      refusals += answer["refusals"].array ?? []
    }
    return refusals
  }

  func accountID(_ email: String) async throws -> String {
    try #require(try await accounts.registry.account(email: email)).id
  }
}
