/// A fault that prevents the server from working, or from working with files.
public struct ReadinessFault: Sendable, Hashable, JSONWritable, JSONReadable {
  /// The requests that fail while the fault lasts.
  public enum Extent: String, Sendable, Hashable {
    /// Requests of any kind.
    case everything
    /// Only requests that read or write the bytes of assets.
    case files
    /// Only requests to some stores, at all servers that share the stores.
    case stores
  }

  /// A fixed name for programs, such as `disk-full`, `store-lost` or `store-damaged`.
  public let name: String
  /// One sentence for operators. It contains no path and no SQL, because callers need no token to
  /// read the answer.
  public let reason: String
  public let extent: Extent

  public init(name: String, reason: String, extent: Extent = .everything) {
    self.name = name
    self.reason = reason
    self.extent = extent
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("reason", reason)
      if extent != .everything { writer.member("affects", extent.rawValue) }
    }
  }

  public init(json: JSONView) throws(WireError) {
    name = try json.requiredString("name")
    reason = try json.requiredString("reason")
    extent = try json.optionalString("affects").flatMap { Extent(rawValue: $0) } ?? .everything
  }
}

extension [ReadinessFault] {
  /// Whether a server with these faults can answer the requests that need no files, at least those
  /// to most stores.
  public var allowRecords: Bool { allSatisfy { $0.extent != .everything } }
}

/// The body of the answer to `/health/ready`.
///
/// The member `status` is `ok` without faults, `degraded` if all faults affect only files or some
/// stores, and `unavailable` otherwise.
public struct ReadinessAnswer: JSONWritable {
  public var faults: [ReadinessFault]

  public init(faults: [ReadinessFault]) { self.faults = faults }

  /// Whether a load balancer should send requests to the server.
  ///
  /// Choice: a server that cannot use files, or some stores, is ready. Several servers share the
  /// storage, so the fault appears at all of them at once. A load balancer would otherwise refuse
  /// all requests, although most of them need neither.
  public var isReady: Bool { faults.allowRecords }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("status", faults.isEmpty ? "ok" : isReady ? "degraded" : "unavailable")
      if !faults.isEmpty { writer.member("faults", array: faults) }
    }
  }
}
