/// A fault that prevents the server from working.
public struct ReadinessFault: Sendable, Hashable, JSONWritable, JSONReadable {
  /// A fixed name for programs, such as `disk-full`, `store-lost` or `store-damaged`.
  public let name: String
  /// One sentence for operators. It contains no path and no SQL, because callers need no token to
  /// read the answer.
  public let reason: String

  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("reason", reason)
    }
  }

  public init(json: JSONView) throws(WireError) {
    name = try json.requiredString("name")
    reason = try json.requiredString("reason")
  }
}

/// The body of the answer to `/health/ready`.
public struct ReadinessAnswer: JSONWritable {
  public var faults: [ReadinessFault]

  public init(faults: [ReadinessFault]) { self.faults = faults }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("status", faults.isEmpty ? "ok" : "unavailable")
      if !faults.isEmpty { writer.member("faults", array: faults) }
    }
  }
}
