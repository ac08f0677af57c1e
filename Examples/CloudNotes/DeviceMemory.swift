import CloudKit

/// The data that a device keeps between runs: its change token, and the notes. Notes from a fetch
/// of changes have no texts, because the fetch requests only ``Note/listKeys``.
struct DeviceMemory {
  let folder: URL
  var token: CKServerChangeToken?
  var notes: [String: CKRecord] = [:]

  init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let data = try? Data(contentsOf: file("token")) {
      token = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKServerChangeToken.self, from: data)
    }
    if let data = try? Data(contentsOf: file("notes")) {
      let blobs = try JSONDecoder().decode([Data].self, from: data)
      for blob in blobs {
        let record = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: blob)
        if let record { notes[record.recordID.recordName] = record }
      }
    }
  }

  func save() throws {
    if let token {
      try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        .write(to: file("token"), options: .atomic)
    } else {
      try? FileManager.default.removeItem(at: file("token"))
    }
    let blobs = try notes.values.map {
      try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
    }
    try JSONEncoder().encode(blobs).write(to: file("notes"), options: .atomic)
  }

  /// Resets the memory, so that everything is fetched again.
  mutating func forget() {
    token = nil
    notes = [:]
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
}
