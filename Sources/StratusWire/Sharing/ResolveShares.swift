/// `records/resolve`: finds shares by the IDs in their URLs, and changes nothing.
///
/// This endpoint and `records/accept` belong to the public database.
public enum ResolveShares: Endpoint {
  public static let path = "records/resolve"

  /// The request of `records/resolve`, `records/accept` and `records/access`.
  public struct Request: JSONWritable, JSONReadable {
    public var shortGUIDs: [ShortGUID]

    public init(shortGUIDs: [ShortGUID]) { self.shortGUIDs = shortGUIDs }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("shortGUIDs", array: shortGUIDs) }
    }

    public init(json: JSONView) throws(WireError) {
      shortGUIDs = try json.requiredArray("shortGUIDs")
    }
  }

  /// The answer of `records/resolve` and `records/accept`. The results have the order of the
  /// request.
  public struct Response: JSONWritable, JSONReadable {
    public var results: [ShareResult]

    public init(results: [ShareResult]) { self.results = results }

    /// The approximate length of the JSON text, in bytes.
    public var expectedByteCount: Int { results.reduce(128) { $0 + $1.expectedByteCount } }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("results", array: results) }
    }

    public init(json: JSONView) throws(WireError) {
      results = try json.requiredArray("results")
    }
  }
}

/// `records/accept`: the caller joins shares. Accepting a share again changes nothing.
public enum AcceptShares: Endpoint {
  public static let path = "records/accept"

  /// Returns the number of shares in the request.
  public static func operationsCount(of request: Request) -> Int { request.shortGUIDs.count }

  public typealias Request = ResolveShares.Request
  public typealias Response = ResolveShares.Response
}

/// The ID in the URL of a share, and the parts of the share's root record that the caller requests.
public struct ShortGUID: Sendable, Hashable {
  /// The last part of the URL's path, without the fragment.
  public var value: String
  /// Whether the answer contains the root record. It is true if the key is missing.
  public var shouldFetchRootRecord: Bool
  /// The fields of the root record that the answer contains. nil means all fields.
  public var rootRecordDesiredKeys: [String]?

  public init(
    value: String, shouldFetchRootRecord: Bool = true, rootRecordDesiredKeys: [String]? = nil
  ) {
    self.value = value
    self.shouldFetchRootRecord = shouldFetchRootRecord
    self.rootRecordDesiredKeys = rootRecordDesiredKeys
  }
}

extension ShortGUID: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("value", value)
      writer.member("shouldFetchRootRecord", shouldFetchRootRecord)
      writer.member("rootRecordDesiredKeys", strings: rootRecordDesiredKeys)
    }
  }

  public init(json: JSONView) throws(WireError) {
    self.init(
      value: try json.requiredString("value"),
      shouldFetchRootRecord: try json.optionalBool("shouldFetchRootRecord") ?? true,
      rootRecordDesiredKeys: try json.strings("rootRecordDesiredKeys"))
  }
}
