import StratusWire
import Testing

@testable import StratusDomain

/// Operation types, states of a record and change tags, with the expected results.
@Suite struct Operations {
  enum Tag: Sendable { case none, right, stale }

  struct Row: Sendable, CustomTestStringConvertible {
    let kind: RecordOperation.Kind
    let isStored: Bool
    let tag: Tag
    let verdict: Verdict

    var testDescription: String {
      "\(kind.rawValue) of \(isStored ? "a stored" : "an absent") record, tag \(tag)"
    }
  }

  static let rows: [Row] = [
    Row(kind: .create, isStored: false, tag: .none, verdict: .saved),
    Row(kind: .create, isStored: true, tag: .none, verdict: .refused(.conflict)),
    Row(kind: .create, isStored: true, tag: .right, verdict: .refused(.conflict)),
    Row(kind: .create, isStored: true, tag: .stale, verdict: .refused(.conflict)),
    Row(kind: .update, isStored: false, tag: .right, verdict: .refused(.notFound)),
    Row(kind: .update, isStored: true, tag: .right, verdict: .saved),
    Row(kind: .update, isStored: true, tag: .stale, verdict: .refused(.conflict)),
    Row(kind: .update, isStored: true, tag: .none, verdict: .refused(.badRequest)),
    Row(kind: .replace, isStored: false, tag: .right, verdict: .refused(.notFound)),
    Row(kind: .replace, isStored: true, tag: .right, verdict: .saved),
    Row(kind: .replace, isStored: true, tag: .stale, verdict: .refused(.conflict)),
    Row(kind: .replace, isStored: true, tag: .none, verdict: .refused(.badRequest)),
    Row(kind: .delete, isStored: false, tag: .right, verdict: .refused(.notFound)),
    Row(kind: .delete, isStored: false, tag: .none, verdict: .refused(.notFound)),
    Row(kind: .delete, isStored: true, tag: .right, verdict: .deleted),
    Row(kind: .delete, isStored: true, tag: .stale, verdict: .refused(.conflict)),
    // Choice: a deletion needs no change tag. Apple's page about deletions does not mention the
    // tag.
    Row(kind: .delete, isStored: true, tag: .none, verdict: .deleted),
  ]

  static let forcedRows: [Row] = [false, true].flatMap { isStored in
    [Tag.none, .right, .stale].flatMap { tag in
      [
        Row(kind: .forceUpdate, isStored: isStored, tag: tag, verdict: .saved),
        Row(kind: .forceReplace, isStored: isStored, tag: tag, verdict: .saved),
        Row(kind: .forceDelete, isStored: isStored, tag: tag, verdict: .deleted),
      ]
    }
  }

  @Test(arguments: rows + forcedRows)
  func `the operation type and the record's state determine the result`(row: Row) throws {
    let situation = try Situation.oneNote()
    let stored = try #require(situation.stored.first)
    let tag: String? =
      switch row.tag {
      case .none: nil
      case .right: stored.tag
      case .stale: "1s2k"
      }
    let operation = try RecordOperation.on(row.isStored ? "n-1" : "n-2", row.kind, tag: tag)
    #expect(try situation.decide(operation) == row.verdict)
  }

  @Test(arguments: [RecordOperation.Kind.create, .update, .replace, .delete])
  func `the error of a conflict contains the server's record`(kind: RecordOperation.Kind) throws {
    let situation = try Situation.oneNote()
    let decision = situation.decide([try .on("n-1", kind, tag: "stale")])
    let refusal = try #require(decision.refusal(at: 0))
    #expect(refusal.error.code == .conflict)
    #expect(refusal.serverRecord == situation.stored.first)
    #expect(decision.records.isEmpty)
  }

  @Test func `a create operation on an existing record is refused as a conflict`() throws {
    let decision = try Situation.oneNote().decide([.on("n-1", .create)])
    #expect(decision.refusal(at: 0)?.error.reason == "record to insert already exists")
  }

  @Test func `a stale tag gives the error reason that clients expect`() throws {
    let decision = try Situation.oneNote().decide([.on("n-1", .update, tag: "0")])
    #expect(decision.refusal(at: 0)?.error.reason == "client oplock error updating record")
  }

  @Test func `a missing record gives the error reason that clients expect`() throws {
    let decision = try Situation.oneNote().decide([.on("n-2", .update, tag: "0")])
    #expect(decision.refusal(at: 0)?.error.reason == "Record not found")
  }

  @Test(arguments: [RecordOperation.Kind.create, .forceUpdate, .forceReplace])
  func `a new record must have a type`(kind: RecordOperation.Kind) throws {
    let verdict = try Situation.oneNote().decide(.on("n-2", kind, type: nil))
    #expect(verdict == .refused(.badRequest))
  }

  @Test(arguments: [RecordOperation.Kind.update, .forceUpdate, .replace, .forceReplace])
  func `the type of a stored record cannot change`(kind: RecordOperation.Kind) throws {
    let situation = try Situation.oneNote()
    let tag = try #require(situation.stored.first).tag
    #expect(try situation.decide(.on("n-1", kind, type: nil, tag: tag)) == .saved)
    #expect(try situation.decide(.on("n-1", kind, type: "Task", tag: tag)) == .refused(.badRequest))
  }

  @Test(arguments: [
    RecordOperation.Kind.update, .forceUpdate, .replace, .forceReplace, .delete, .forceDelete,
  ])
  func `an operation on a record must contain its name`(kind: RecordOperation.Kind) throws {
    let verdict = try Situation.oneNote().decide(.on(nil, kind, tag: "1"))
    #expect(verdict == .refused(.badRequest))
  }

  @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 10_000)])
  func `a deletion of an illegal name is refused`(name: String) throws {
    #expect(try Situation.oneNote().decide(.on(name, .forceDelete)) == .refused(.badRequest))
  }

  @Test func `a deletion of a record that never existed writes nothing`() throws {
    let decision = try Situation.oneNote().decide([.on("never", .forceDelete)])
    #expect(decision.records.isEmpty)
    #expect(!decision.hasFailed)
  }
}
