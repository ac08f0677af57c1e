import CloudKit

/// A message or a shared file in a channel.
struct Message: Sendable {
  static let recordType = "Message"
  /// The fields that a list needs. The file stays on the server until a user requests it.
  static let listKeys = ["author", "text", "fileName", "fileSizeBytes"]

  let record: CKRecord

  init(_ text: String, by author: String, in channel: Channel) {
    self.init(channel.newRecord(Self.recordType), text, author)
  }

  /// Creates the first message of a channel. Its record name contains the channel's name, so a
  /// channel has only one such message.
  init(opening channel: Channel, by author: String) {
    let id = CKRecord.ID(recordName: "opening.\(channel.name)")
    self.init(
      CKRecord(recordType: Self.recordType, recordID: id), "opened \(channel.title)", author)
    record["channel"] = channel.reference
  }

  /// Creates a message with a file.
  ///
  /// - Throws: `UsageError` if the file does not exist or cannot be read.
  init(file: URL, by author: String, in channel: Channel) throws {
    let values = try? file.resolvingSymlinksInPath().resourceValues(
      forKeys: [.isRegularFileKey, .fileSizeKey])
    guard let values else { throw UsageError("There is no file \(file.path).") }
    guard values.isRegularFile == true, let size = values.fileSize else {
      throw UsageError("\(file.path) is a folder, or something else that is no file.")
    }
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw UsageError("You may not read \(file.path).")
    }
    self.init(channel.newRecord(Self.recordType), "", author)
    record["file"] = CKAsset(fileURL: file)
    record["fileName"] = file.lastPathComponent
    record["fileSizeBytes"] = size
  }

  init(record: CKRecord) { self.record = record }

  private init(_ record: CKRecord, _ text: String, _ author: String) {
    self.record = record
    record["author"] = author
    record["text"] = text
  }

  var id: CKRecord.ID { record.recordID }
  var author: String { (record["author"] as? String ?? "somebody").printable }
  var text: String { (record["text"] as? String ?? "").printable }
  /// The time when the server received the message.
  var date: Date? { record.creationDate }

  /// The file's name without the path of a folder, or nil if the message has no file.
  var fileName: String? {
    guard let name = record["fileName"] as? String else { return nil }
    let last = URL(fileURLWithPath: "/\(name.printable)").lastPathComponent
    return ["/", ".", "..", ""].contains(last) ? "file" : last
  }

  /// Returns the text of the message. For a file, returns the number that `/save` needs, the name
  /// and the size.
  func line(fileNumber: Int?) -> String {
    guard let fileName, let fileNumber else { return text }
    let size = record["fileSizeBytes"] as? Int64 ?? 0
    let words = ByteCountFormatter.string(fromByteCount: size, countStyle: .file)
    return "[\(fileNumber)] \(fileName), \(words)"
  }
}

extension String {
  /// The text as one line, without characters that control the terminal or change the direction of
  /// writing.
  var printable: String {
    let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
      switch (scalar.properties.generalCategory, scalar.value) {
      case (.control, _), (.lineSeparator, _), (.paragraphSeparator, _), (_, 0x202A...0x202E),
        (_, 0x2066...0x2069):
        " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
