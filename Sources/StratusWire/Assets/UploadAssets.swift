/// `assets/upload`: where to send the bytes of files that fields will hold.
public enum UploadAssets: Endpoint {
  public static let path = "assets/upload"

  public struct Request: JSONWritable, JSONReadable {
    /// nil: the default zone.
    public var zoneID: ZoneID?
    /// One a file, so several for a list.
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

  /// Where the bytes of one file go.
  public struct Target: Sendable, Hashable, JSONWritable, JSONReadable {
    public var recordName: String
    public var fieldName: String
    /// Takes one file, for 15 minutes; whoever knows it may send.
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
    /// In the order of the request, by which CloudKit JS pairs them.
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

/// What an upload URL answers.
///
/// Bytes come by POST or PUT: all at once, or (an addition of ours) in pieces, each with
/// `Content-Range: bytes FIRST-LAST/TOTAL` and beginning where the one before ended. GET says how
/// many bytes are there, so that an upload goes on after a broken connection.
public struct UploadAnswer: Sendable, JSONWritable, JSONReadable {
  /// What to put into the field, once all bytes are there.
  public var singleFile: Asset?
  /// How many bytes are there, while some are missing.
  public var received: Int64?
  /// Why nothing was taken: a piece that does not begin where the bytes end is a `CONFLICT`.
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
