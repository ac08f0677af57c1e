/// One result of `stratus doctor`: a problem and its repair, or a note.
public struct Finding: Sendable, Hashable, JSONWritable {
  /// Whether the operator must do something.
  public enum Severity: String, Sendable, Hashable {
    /// Something is wrong or will soon be wrong.
    case problem
    /// The finding is worth knowing, but the operator does not have to do anything.
    case note
  }

  public let severity: Severity
  /// A fixed name for programs, such as `production-lacks` or `store-damaged`.
  public let name: String
  /// The finding as one sentence.
  public let sentence: String
  /// The action that the operator should take, as one sentence. nil means none.
  public let fix: String?

  /// Creates a finding about something that is wrong.
  public static func problem(_ name: String, _ sentence: String, fix: String) -> Finding {
    Finding(severity: .problem, name: name, sentence: sentence, fix: fix)
  }

  /// Creates a finding that is worth knowing.
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
