import Foundation
import StratusDomain
import StratusWire

/// The paths of the folders and files of one store's assets.
struct AssetFolders: Sendable {
  private let root: String

  /// - Throws: `INTERNAL_ERROR` if the container's ID is not safe as a folder name.
  init(data: URL, _ address: StoreAddress) throws(ServerError) {
    guard Self.isSafe(address.container) else {
      throw .fault("a container's ID cannot name a folder", facts: ["id": address.container])
    }
    root = data.path + "/" + address.container + "/" + address.environment.rawValue + ".assets"
  }

  var uploads: String { root + "/uploads" }
  var files: String { root + "/files" }

  func upload(_ id: String) throws(ServerError) -> String {
    try uploads + "/" + Self.checked(id)
  }

  func note(ofUpload id: String) throws(ServerError) -> String {
    try upload(id) + Self.noteSuffix
  }

  /// Returns the folder of a file. There are two levels of folders, so that no folder gets too many
  /// entries.
  func folder(of file: String) throws(ServerError) -> String {
    let name = try Self.checked(file).utf8
    let upper = String(decoding: name.prefix(2), as: UTF8.self)
    let lower = String(decoding: name.dropFirst(2).prefix(2), as: UTF8.self)
    return files + "/" + upper + "/" + lower
  }

  func path(of file: String) throws(ServerError) -> String {
    try folder(of: file) + "/" + file
  }

  static let noteSuffix = ".note"

  /// Checks a name before it is used in a path. The names come from the server itself, so this
  /// check should never fail.
  static func checked(_ name: String) throws(ServerError) -> String {
    let isSafe =
      (8...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || isLetterOrDigit($0) }
    guard isSafe else { throw .fault("a file has an illegal name", facts: ["name": name]) }
    return name
  }

  static func isSafe(_ container: String) -> Bool {
    (1...255).contains(container.utf8.count) && container.utf8.first != UInt8(ascii: ".")
      && container.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    case _: false
    }
  }
}
