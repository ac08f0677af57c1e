/// Management: returns the next piece of an export, which is a tar archive of JSON lines and the
/// bytes of assets. The pieces, joined in their order, are the archive.
public enum ExportAccount: Endpoint {
  public static let path = "accounts/export"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    /// The cursor of the previous answer, or nil to begin.
    public var cursor: String?

    public init(email: String, cursor: String? = nil) {
      self.email = email
      self.cursor = cursor
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("cursor", cursor)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      cursor = try json.optionalString("cursor")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var bytes: [UInt8]
    /// The cursor of the next piece, or nil if the archive is complete.
    public var cursor: String?

    public init(bytes: [UInt8], cursor: String?) {
      self.bytes = bytes
      self.cursor = cursor
    }

    public var expectedByteCount: Int { bytes.count / 3 * 4 + 1_024 }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("bytes", base64: bytes)
        writer.member("cursor", cursor)
      }
    }

    public init(json: JSONView) throws(WireError) {
      bytes = try json.requiredBytes("bytes")
      cursor = try json.optionalString("cursor")
    }
  }
}

/// Something in an archive, such as a record or a share, that an import did not write.
public struct ImportRefusal: JSONWritable, JSONReadable, Hashable {
  /// The kind of data, such as `record` or `share`.
  public var kind: String
  public var name: String
  public var reason: String

  public init(kind: String, name: String, reason: String) {
    self.kind = kind
    self.name = name
    self.reason = reason
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("kind", kind)
      writer.member("name", name)
      writer.member("reason", reason)
    }
  }

  public init(json: JSONView) throws(WireError) {
    kind = try json.requiredString("kind")
    name = try json.requiredString("name")
    reason = try json.requiredString("reason")
  }
}

/// Management: writes a piece of an archive into an account. The same piece can be sent again.
public enum ImportAccount: Endpoint {
  public static let path = "accounts/import"

  /// The maximum number of lines of a request.
  public static let linesMax = 200
  /// The maximum number of bytes of an asset in a request.
  public static let assetBytesMax = 1_048_576

  /// Some bytes of an asset.
  public struct AssetPiece: JSONWritable, JSONReadable {
    /// SHA-256 of the whole asset, in hex digits.
    public var checksum: String
    public var size: Int64
    public var offset: Int64
    public var bytes: [UInt8]

    public init(checksum: String, size: Int64, offset: Int64, bytes: [UInt8]) {
      self.checksum = checksum
      self.size = size
      self.offset = offset
      self.bytes = bytes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("checksum", checksum)
        writer.member("size", size)
        writer.member("offset", offset)
        writer.member("bytes", base64: bytes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      checksum = try json.requiredString("checksum")
      guard let size = json["size"]?.int64, let offset = json["offset"]?.int64 else {
        throw .missing("size")
      }
      (self.size, self.offset) = (size, offset)
      bytes = try json.requiredBytes("bytes")
      guard bytes.count <= ImportAccount.assetBytesMax else {
        throw WireError("a piece of an asset is too large")
      }
    }
  }

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    /// The text that an earlier answer of the same import returned, or nil for the first request.
    public var session: String?
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The user's record name in the archive.
    public var formerName: String
    public var lines: [ArchiveLine]
    public var asset: AssetPiece?

    public init(
      email: String, session: String?, containerID: String, environment: ContainerEnvironment,
      formerName: String, lines: [ArchiveLine] = [], asset: AssetPiece? = nil
    ) {
      self.email = email
      self.session = session
      self.containerID = containerID
      self.environment = environment
      self.formerName = formerName
      self.lines = lines
      self.asset = asset
    }

    public var expectedByteCount: Int {
      lines.reduce((asset?.bytes.count ?? 0) / 3 * 4 + 1_024) { $0 + $1.expectedByteCount }
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("session", session)
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("formerName", formerName)
        writer.member("lines", array: lines)
        writer.member("asset", asset)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      session = try json.optionalString("session")
      containerID = try json.requiredString("containerID")
      guard
        let environment = ContainerEnvironment(rawValue: try json.requiredString("environment"))
      else { throw .wrongType("environment", expected: "development or production") }
      self.environment = environment
      formerName = try json.optionalString("formerName") ?? ""
      lines = try json.array("lines")
      asset = try json.optional("asset")
      guard lines.count <= ImportAccount.linesMax else {
        throw WireError("a request has more than \(ImportAccount.linesMax) lines")
      }
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// See ``Request/session``.
    public var session: String
    /// For each kind of data, the number of items that were written.
    public var counts: [String: Int64]
    public var refusals: [ImportRefusal]
    /// The number of bytes of the asset that the server has, or nil if the request has no asset.
    public var received: Int64?

    public init(
      session: String, counts: [String: Int64] = [:], refusals: [ImportRefusal] = [],
      received: Int64? = nil
    ) {
      self.session = session
      self.counts = counts
      self.refusals = refusals
      self.received = received
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("session", session)
        writer.key("counts")
        RemovalReceipt.write(counts, to: &writer)
        writer.member("refusals", array: refusals)
        writer.member("received", received)
      }
    }

    public init(json: JSONView) throws(WireError) {
      session = try json.requiredString("session")
      counts = RemovalReceipt.counts(json["counts"])
      refusals = try json.array("refusals")
      received = json["received"]?.int64
    }
  }
}
