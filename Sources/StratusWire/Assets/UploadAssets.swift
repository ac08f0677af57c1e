/// `assets/upload`: returns the URLs to which the client sends the bytes of files.
public enum UploadAssets: Endpoint {
  public static let path = "assets/upload"

  public struct Request: JSONWritable, JSONReadable {
    /// The zone of the records. nil means the default zone.
    public var zoneID: ZoneID?
    /// One element for each file. A list field appears once for each of its files.
    public var fields: [AssetFieldID]

    public init(zoneID: ZoneID?, fields: [AssetFieldID]) {
      self.zoneID = zoneID
      self.fields = fields
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("tokens", array: fields)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zoneID = try json.optional("zoneID")
      fields = try json.requiredArray("tokens")
    }
  }

  /// The URL to which the client sends the bytes of one file.
  public struct Target: Sendable, Hashable, JSONWritable, JSONReadable {
    public var recordName: String
    public var fieldName: String
    /// The upload URL, which accepts one file. It is valid for 15 minutes, and during an upload for
    /// 15 minutes after the last received byte. Any client that knows the URL can send the file.
    public var url: String

    public init(recordName: String, fieldName: String, url: String) {
      self.recordName = recordName
      self.fieldName = fieldName
      self.url = url
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("recordName", recordName)
        writer.member("fieldName", fieldName)
        writer.member("url", url)
      }
    }

    public init(json: JSONView) throws(WireError) {
      recordName = try json.requiredString("recordName")
      fieldName = try json.requiredString("fieldName")
      url = try json.requiredString("url")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The targets in the order of the request's fields. CloudKit JS relies on this order.
    public var targets: [Target]

    public init(targets: [Target]) { self.targets = targets }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("tokens", array: targets) }
    }

    public init(json: JSONView) throws(WireError) {
      targets = try json.requiredArray("tokens")
    }
  }
}

/// The answer to a request that sends bytes to an upload URL.
///
/// The client sends the bytes by POST or PUT, in one request or in pieces. Only Stratus accepts
/// pieces. Each piece has the header `Content-Range: bytes FIRST-LAST/TOTAL` and begins where the
/// previous piece ended. GET returns the number of received bytes, so that a client can resume an
/// upload after a broken connection.
public struct UploadAnswer: Sendable, JSONWritable, JSONReadable {
  /// The value for the record field. The answer contains it when all bytes have arrived.
  public var singleFile: Asset?
  /// The number of received bytes. The answer contains it while some bytes are missing.
  public var received: Int64?
  /// The reason why nothing was stored. The code is `CONFLICT` if a piece does not begin at the end
  /// of the received bytes.
  public var error: ErrorDictionary?

  public init(
    singleFile: Asset? = nil, received: Int64? = nil, error: ErrorDictionary? = nil
  ) {
    self.singleFile = singleFile
    self.received = received
    self.error = error
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      error?.writeMembers(to: &writer)
      writer.member("singleFile", singleFile)
      writer.member("received", received)
    }
  }

  public init(json: JSONView) throws(WireError) {
    singleFile = try json.optional("singleFile")
    received = json["received"]?.int64
    error = json["serverErrorCode"] == nil ? nil : try ErrorDictionary(json: json)
  }
}
