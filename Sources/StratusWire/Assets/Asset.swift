/// A file that belongs to a record.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, asset dictionary.
public struct Asset: Sendable, Hashable {
  /// SHA-256 of the contents, in base64.
  public var fileChecksum: String
  /// Bytes.
  public var size: Int64
  /// Proves in a request that the bytes were uploaded. Answers contain a receipt only if their
  /// endpoint issues receipts.
  public var receipt: String?
  /// The URL to download the bytes from, valid for a limited time. Only in answers.
  public var downloadURL: String?

  public init(
    fileChecksum: String, size: Int64, receipt: String? = nil, downloadURL: String? = nil
  ) {
    self.fileChecksum = fileChecksum
    self.size = size
    self.receipt = receipt
    self.downloadURL = downloadURL
  }
}

extension Asset: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("fileChecksum", fileChecksum)
      writer.member("size", size)
      writer.member("receipt", receipt)
      writer.member("downloadURL", downloadURL)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let checksum = json["fileChecksum"]?.string, let size = json["size"]?.int64, size >= 0
    else { throw .invalidValue(expected: FieldType(.asset)) }
    self.init(
      fileChecksum: checksum, size: size, receipt: try json.optionalString("receipt"),
      downloadURL: try json.optionalString("downloadURL"))
  }
}
