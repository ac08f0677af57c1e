import Foundation

@testable import StratusKit

/// Writes archives to a folder of the golden files.
struct MakerArchive {
  let folder: URL

  init(_ folder: URL, _ name: String) throws {
    self.folder = folder.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
  }

  /// Writes an object in the way in which apps archive it: with secure coding, as a binary property
  /// list.
  func write(_ object: any NSObject & NSSecureCoding, as name: String) throws {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      .write(to: file(name))
  }

  /// Writes a record's system fields in the way that Apple's documentation shows.
  func writeSystemFields(of record: CKRecord, as name: String) throws {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    try coder.encodedData.write(to: file(name))
  }

  /// Writes the state of a sync engine as JSON and as property lists.
  func write(_ state: CKSyncEngine.State.Serialization, as name: String) throws {
    let json = JSONEncoder()
    json.outputFormatting = [.sortedKeys]
    try json.encode(state).write(to: folder.appendingPathComponent(name + ".json"))
    let list = PropertyListEncoder()
    list.outputFormat = .xml
    try list.encode(state).write(to: folder.appendingPathComponent(name + ".xml.plist"))
    list.outputFormat = .binary
    try list.encode(state).write(to: folder.appendingPathComponent(name + ".binary.plist"))
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name + ".archive") }
}
