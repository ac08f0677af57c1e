import StratusWire
import Testing

@testable import StratusDomain

/// The records that are deleted together with a deleted record.
@Suite struct Cascade {
  private func gone(_ family: Family, _ operations: [RecordOperation]) throws -> Set<String> {
    Set(try family.decide(operations).references.records.filter(\.isDeleted).map(\.name))
  }

  @Test
  func `a deletion cascades to referring records, and then to the records that refer to those`()
    throws
  {
    let family = Family(
      .init("t"), .init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["a"]), .init("c"))
    #expect(try gone(family, [.delete("t")]) == ["t", "a", "b"])
    #expect(try gone(family, [.delete("a")]) == ["a", "b"])
    #expect(try gone(family, [.delete("b")]) == ["b"])
  }

  @Test func `a record with several targets is deleted when one of them is deleted`() throws {
    let family = Family(.init("t"), .init("u"), .init("a", deleteSelf: ["t", "u"]))
    #expect(try gone(family, [.delete("u")]) == ["u", "a"])
    #expect(try gone(family, [.delete("t"), .delete("u")]) == ["t", "u", "a"])
  }

  @Test func `cycles of references are legal, even a record that refers to itself`() throws {
    let family = Family(
      .init("a", deleteSelf: ["b"]), .init("b", deleteSelf: ["a"]), .init("s", deleteSelf: ["s"]))
    #expect(try gone(family, [.delete("a")]) == ["a", "b"])
    #expect(try gone(family, [.delete("s")]) == ["s"])
  }

  @Test func `a cascade keeps records that refer to the deleted record without deleteSelf`() throws
  {
    var checked = Family.Member("v")
    checked.validated = ["t"]
    #expect(try gone(Family(.init("t"), checked), [.delete("t")]) == ["t"])
  }

  @Test
  func `each cascaded deletion has the batch's user and a change number after the batch's numbers`()
    throws
  {
    let family = Family(
      .init("t"), .init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["a"]))
    let records = try family.decide([.delete("t"), .save("n")]).references.records
    #expect(records.map(\.name) == ["t", "n", "a", "b"])
    #expect(records.map(\.change) == [101, 102, 103, 104])
    let last = try #require(records.last)
    #expect(last.type == "Note")
    #expect(last.fields == .empty)
    #expect(last.created.userRecordName == Situation.bea)
    #expect(
      last.modified
        == Stamp(timestamp: Situation.now, userRecordName: Situation.anna, deviceID: "2"))
  }

  @Test func `the answer to a deletion does not contain the cascaded deletions`() throws {
    let family = Family(.init("t"), .init("a", deleteSelf: ["t"]))
    #expect(try family.decide([.delete("t")]).decision.outcomes.count == 1)
  }

  @Test
  func `a record stays if the batch saves it without its reference to the deleted record`() throws {
    let family = Family(.init("t"), .init("a", deleteSelf: ["t"]))
    #expect(try gone(family, [.save("a", deleteSelf: []), .delete("t")]) == ["t"])
  }

  @Test
  func `if one batch saves a record and deletes it by a cascade, only the deletion is a change`()
    throws
  {
    let family = Family(
      .init("t"), .init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["a"]))
    let (decision, references) = try family.decide([.save("a"), .delete("t")])
    #expect(decision.verdicts == [.saved, .deleted])
    #expect(references.records.map(\.name) == ["a", "t", "b"])
    #expect(references.records.map(\.change) == [101, 102, 103])
    #expect(references.records.map(\.isDeleted) == [true, true, true])
  }

  @Test func `deletions in a batch also cascade to records that the batch saves`() throws {
    let family = Family(.init("t"), .init("b", deleteSelf: ["a"]))
    #expect(
      try gone(family, [.delete("t"), .save("a", deleteSelf: ["t"])]) == ["t", "a", "b"])
  }

  @Test func `a refused deletion does not cascade`() throws {
    let family = Family(
      .init("p"), .init("c", parent: "p"), .init("a", deleteSelf: ["p"]), .init("u"))
    #expect(try gone(family, [.delete("p"), .delete("u")]) == ["u"])
  }

  @Test func `a deletion of a missing record does not cascade`() throws {
    let family = Family(.init("a", deleteSelf: ["t"]))
    #expect(try gone(family, [.delete("t")]) == [])
    #expect(try gone(family, [.delete("t"), .save("b", deleteSelf: ["t"]), .save("a")]) == [])
  }

  @Test func `children stay when a cascade deletes the record that is their parent`() throws {
    let family = Family(
      .init("t"), .init("a", deleteSelf: ["t"]), .init("c", parent: "a"))
    #expect(try gone(family, [.delete("t")]) == ["t", "a"])
  }

  @Test func `a cascade does not delete user records`() throws {
    var user = Family.Member("_u", deleteSelf: ["t"])
    user.type = UserRecords.recordType
    #expect(try gone(Family(.init("t"), user), [.delete("t")]) == ["t"])
  }

  @Test(arguments: 1...12)
  func `deletions that do not fit in one transaction are stored for later`(limit: Int) throws {
    var family = Family(.init("t"))
    for number in 0..<5 {
      family.records.append(Family.Member("a\(number)", deleteSelf: ["t"]).stored(change: 2))
      family.records.append(
        Family.Member("b\(number)", deleteSelf: ["a\(number)"]).stored(change: 3))
    }
    let decided = try family.decide(
      [.delete("t")], within: CascadeBudget(records: limit)
    ).references
    #expect(decided.records.count <= limit + 1)
    #expect(decided.records.count == min(limit, 10) + 1)
    try expectNoneForgotten(of: family, by: decided)
    if limit > 10 { #expect(decided.unfinished.isEmpty) }
  }

  /// Expects that a later step of the cascade can find every remaining record.
  private func expectNoneForgotten(of family: Family, by decided: ReferenceDecision) throws {
    let gone = Set(decided.records.map(\.name))
    for record in family.records where !gone.contains(record.name) {
      let targets = try DerivedRows(of: record, schema: family.schema).links.map(\.target)
      let isRemembered = targets.contains { decided.unfinished.contains($0) }
      let isBehind = targets.contains { !gone.contains($0) }
      #expect(isRemembered || isBehind, "\(record.name) is forgotten")
    }
  }

  @Test func `one transaction deletes no further records after its byte limit is reached`() throws {
    var family = Family(.init("t"))
    for number in 10..<40 {
      family.records.append(Family.Member("a\(number)", deleteSelf: ["t"]).stored(change: 2))
      family.records.append(
        Family.Member("b\(number)", deleteSelf: ["a\(number)"]).stored(change: 3))
    }
    let decided = try family.decide(
      [.delete("t")], within: CascadeBudget(records: 1_000, sizeBytes: 1)
    ).references
    #expect(decided.records.map(\.name) == ["t"] + (10..<30).map { "a\($0)" })
    #expect(Set(decided.unfinished) == Set(decided.records.map(\.name)))
    try expectNoneForgotten(of: family, by: decided)
  }

  @Test func `a new save of a record with a pending cascade deletion replaces the record`() throws {
    var family = Family(.init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["t"]))
    family.cascades = [.of("t", change: 1)]
    func rewritten(_ operation: RecordOperation) throws -> [String] {
      try family.decide([operation]).references.rewritten
    }
    #expect(try rewritten(.save("a", .create)) == ["a"])
    #expect(try rewritten(.save("a", deleteSelf: ["t"])) == ["a"])
    #expect(try rewritten(.save("a", .update, tag: "1")) == [])
    #expect(try rewritten(.save("b")) == [])
    #expect(try rewritten(.delete("a")) == [])
  }

  @Test func `writers see a record with a pending cascade deletion as deleted`() throws {
    var family = Family(.init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["t"]))
    family.cascades = [.of("t", change: 1)]
    let tag = family.records[0].tag
    func verdicts(_ operation: RecordOperation) throws -> [Verdict] {
      try family.decide([operation]).decision.verdicts
    }
    #expect(try verdicts(.save("a", .update, tag: tag)) == [.refused(.notFound)])
    #expect(try verdicts(.save("a", .create)) == [.saved])
    #expect(try family.decide([.delete("a")]).references.records.isEmpty)
    // The record "b" was saved after the deletion that cascades.
    #expect(try verdicts(.save("b", .create)) == [.refused(.conflict)])
    let anew = try family.decide([.save("a")]).references.records
    #expect(anew.first?.created.userRecordName == Situation.anna)
  }
}
