import StratusDomain
import StratusWire

/// The keys of the objects of one store's assets:
///
///     PREFIX/<container>/<environment>.assets/files/<name>            complete files
///                                             uploads/<id>.note       the note of an upload
///                                             uploads/<id>.state      the state of an upload
///                                             uploads/<id>.<random>   the parts, joined together
struct S3Keys: Sendable {
  /// The text with which the keys of all files and uploads begin.
  let root: String

  /// - Throws: `INTERNAL_ERROR` if the container's ID is not safe in a key.
  init(_ location: S3Location, _ address: StoreAddress) throws(ServerError) {
    guard AssetFolders.isSafe(address.container) else {
      throw .fault("a container's ID cannot be in a key", facts: ["id": address.container])
    }
    root = location.key("\(address.container)/\(address.environment.rawValue).assets/")
  }

  var files: String { root + "files/" }
  var uploads: String { root + "uploads/" }

  func file(_ name: String) throws(ServerError) -> String {
    try files + AssetFolders.checked(name)
  }

  func note(ofUpload id: String) throws(ServerError) -> String {
    try uploads + AssetFolders.checked(id) + ".note"
  }

  func state(ofUpload id: String) throws(ServerError) -> String {
    try uploads + AssetFolders.checked(id) + Self.stateSuffix
  }

  /// Returns the key of the temporary object in which the parts of an upload are joined.
  func parts(ofUpload id: String, random: String) throws(ServerError) -> String {
    try uploads + AssetFolders.checked(id) + "." + random
  }

  /// Returns the ID of the upload to which an object belongs.
  func upload(ofKey key: String) -> String {
    String(key.dropFirst(uploads.count).prefix { $0 != "." })
  }

  static let stateSuffix = ".state"
}
