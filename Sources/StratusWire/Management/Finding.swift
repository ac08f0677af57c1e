/// One result of `stratus doctor`: what is wrong, and how to repair it.
public struct Finding: Sendable, Hashable, JSONWritable {
  /// Whether something must be done.
  public enum Severity: String, Sendable, Hashable {
    /// Something is wrong or will soon be.
    case problem
    /// Worth knowing; nothing has to be done.
    case note
  }

  public let severity: Severity
  /// A fixed name for programs, such as `production-lacks` or `store-damaged`.
  public let name: String
  /// One sentence.
  public let sentence: String
  /// What to do, as one sentence; nil: nothing.
  public let fix: String?

  /// Something is wrong.
  public static func problem(_ name: String, _ sentence: String, fix: String) -> Finding {
    Finding(severity: .problem, name: name, sentence: sentence, fix: fix)
  }

  /// Something is worth knowing.
  public static func note(_ name: String, _ sentence: String) -> Finding {
    Finding(severity: .note, name: name, sentence: sentence, fix: nil)
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("severity", severity.rawValue)
      writer.member("name", name)
      writer.member("sentence", sentence)
      writer.member("fix", fix)
    }
  }
}

/// The answer of `stratus doctor --json`.
public struct Findings: JSONWritable {
  public let findings: [Finding]

  public init(_ findings: [Finding]) { self.findings = findings }

  /// Whether any finding is a problem.
  public var hasProblem: Bool { findings.contains { $0.severity == .problem } }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("healthy", !hasProblem)
      writer.member("findings", array: findings)
    }
  }
}
