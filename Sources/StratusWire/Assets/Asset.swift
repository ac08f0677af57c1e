/// A file that belongs to a record.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, asset dictionary.
public struct Asset: Sendable, Hashable {
  /// SHA-256 of the contents, in base64.
  public var fileChecksum: String
  /// The size of the contents in bytes.
  public var size: Int64
  /// A text by which a client proves in a request that it may use the bytes. An answer contains a
  /// receipt only if the endpoint issues receipts.
  public var receipt: String?
  /// The URL from which the client downloads the bytes. It is valid for a limited time, and only
  /// answers contain it.
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
