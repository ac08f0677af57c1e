import StratusWire
import Testing

@testable import StratusDomain

/// The references that a save may contain, and the records that may be deleted.
@Suite struct ReferenceRule {
  static let violation = Verdict.refused(.validatingReferenceError)

  private func verdicts(
    _ family: Family, _ operations: [RecordOperation]
  ) throws -> [Verdict] {
    try family.decide(operations).decision.verdicts
  }

  @Test func `the target of a VALIDATE reference must exist`() throws {
    let family = Family(.init("t"))
    #expect(try verdicts(family, [.save("a", validated: ["t"])]) == [.saved])
    #expect(try verdicts(family, [.save("a", validated: ["x"])]) == [Self.violation])
    #expect(try verdicts(family, [.save("a", validated: ["t", "x"])]) == [Self.violation])
    #expect(try verdicts(family, [.save("a", validated: ["a"])]) == [.saved])
  }

  @Test func `a reference and its target can be in one batch, in any order`() throws {
    #expect(
      try verdicts(Family(), [.save("a", validated: ["t"]), .save("t")]) == [.saved, .saved])
    #expect(
      try verdicts(Family(), [.save("t"), .save("a", parent: .set(recordName: "t"))])
        == [.saved, .saved])
    #expect(
      try verdicts(Family(), [.save("a", parent: .set(recordName: "t")), .save("t")])
        == [.saved, .saved])
  }

  @Test
  func `target names that look alike but differ in their bytes refer to two targets`() throws {
    let family = Family(.init("caf\u{E9}"))
    #expect(try verdicts(family, [.save("a", validated: ["cafe\u{301}"])]) == [Self.violation])
    #expect(try verdicts(family, [.save("a", validated: ["caf\u{E9}"])]) == [.saved])
  }

  @Test func `a reference that a record already has is not checked again`() throws {
    var member = Family.Member("a", parent: "gone")
    member.validated = ["gone"]
    #expect(try verdicts(Family(member), [.save("a", deleteSelf: [])]) == [.saved])
  }

  @Test func `references without VALIDATE may dangle, unless the container forbids it`() throws {
    var family = Family(.init("t"))
    #expect(try verdicts(family, [.save("a", deleteSelf: ["x"])]) == [.saved])
    family.requiresTargets = true
    #expect(try verdicts(family, [.save("a", deleteSelf: ["x"])]) == [Self.violation])
    #expect(try verdicts(family, [.save("a", deleteSelf: ["t"])]) == [.saved])
    #expect(
      try verdicts(family, [.on("a", .create, fields: #"{"n":{"value":{"recordName":"x"}}}"#)])
        == [.saved])
  }

  @Test func `a parent must exist and be another record`() throws {
    let family = Family(.init("p"))
    func verdict(_ parent: String) throws -> [Verdict] {
      try verdicts(family, [.save("a", parent: .set(recordName: parent))])
    }
    #expect(try verdict("p") == [.saved])
    #expect(try verdict("x") == [Self.violation])
    #expect(try verdict("a") == [Self.violation])
  }

  @Test func `a parent cannot be deleted while it has children`() throws {
    let family = Family(.init("p"), .init("c", parent: "p"))
    #expect(try verdicts(family, [.delete("p")]) == [Self.violation])
    #expect(try verdicts(family, [.delete("c"), .delete("p")]) == [.deleted, .deleted])
    #expect(try verdicts(family, [.delete("p"), .delete("c")]) == [.deleted, .deleted])
    #expect(
      try verdicts(family, [.save("c", parent: .removed), .delete("p")]) == [.saved, .deleted])
    #expect(
      try verdicts(family, [.save("c", parent: .set(recordName: "q")), .save("q"), .delete("p")])
        == [.saved, .saved, .deleted])
    #expect(try verdicts(family, [.save("c"), .delete("p")]) == [.saved, Self.violation])
  }

  @Test func `children that are deleted with their parent do not prevent its deletion`() throws {
    #expect(
      try verdicts(
        Family(.init("p"), .init("c", parent: "p", deleteSelf: ["p"])), [.delete("p")])
        == [.deleted])
    #expect(
      try verdicts(
        Family(
          .init("p"), .init("a", deleteSelf: ["p"]), .init("c", parent: "p", deleteSelf: ["a"])),
        [.delete("p")]) == [.deleted])
    #expect(
      try verdicts(
        Family(.init("p"), .init("c", parent: "p", deleteSelf: ["p"])),
        [.save("c", deleteSelf: []), .delete("p")]) == [.saved, Self.violation])
  }

  @Test func `a parent can be deleted if the cascade deletes all of its many children`() throws {
    var family = Family(.init("p"))
    for number in 0..<20 {
      let child = Family.Member("c\(number)", parent: "p", deleteSelf: ["p"])
      family.records.append(child.stored(change: 2))
    }
    #expect(
      try family.decide([.delete("p")], within: CascadeBudget(records: 5)).decision.verdicts == [
        .deleted
      ])
    family.records.append(Family.Member("stays", parent: "p").stored(change: 3))
    #expect(
      try family.decide([.delete("p")], within: CascadeBudget(records: 5)).decision.verdicts == [
        Self.violation
      ])
  }

  @Test
  func `a child with a pending cascade deletion does not prevent its parent's deletion`() throws {
    var family = Family(
      .init("p"), .init("q"), .init("c", parent: "p", deleteSelf: ["t"]),
      .init("d", parent: "q", deleteSelf: ["t"]))
    #expect(try verdicts(family, [.delete("p")]) == [Self.violation])
    // "d" was saved after "t" was deleted.
    family.cascades = [.of("t", change: 3)]
    #expect(try verdicts(family, [.delete("p")]) == [.deleted])
    #expect(try verdicts(family, [.delete("q")]) == [Self.violation])
    #expect(
      try verdicts(family, [.delete("p"), .save("c", .update, tag: "1")]) == [
        .deleted, .refused(.notFound),
      ])
    family.records.append(Family.Member("e", parent: "p").stored(change: 5))
    #expect(try verdicts(family, [.delete("p")]) == [Self.violation])
  }

  @Test func `one remaining child among many prevents its parent's deletion`() throws {
    var family = Family(.init("p"))
    family.cascades = [.of("t", change: 50)]
    for number in 10..<60 {
      let child = Family.Member("c\(number)", parent: "p", deleteSelf: ["t"])
      family.records.append(child.stored(change: 2))
    }
    #expect(try verdicts(family, [.delete("p")]) == [.deleted])
    family.records[45].change = 51
    #expect(try verdicts(family, [.delete("p")]) == [Self.violation])
  }

  @Test
  func `a record with a pending cascade deletion cannot be the target of a new reference`() throws {
    var family = Family(.init("a", deleteSelf: ["t"]), .init("b", deleteSelf: ["t"]))
    family.requiresTargets = true
    family.cascades = [.of("t", change: 1)]
    for (name, verdict) in [("a", Self.violation), ("b", .saved)] {
      #expect(try verdicts(family, [.save("x", validated: [name])]) == [verdict])
      #expect(try verdicts(family, [.save("x", deleteSelf: [name])]) == [verdict])
      #expect(
        try verdicts(family, [.save("x", parent: .set(recordName: name))]) == [verdict])
    }
    #expect(try verdicts(family, [.save("x", validated: ["a"]), .save("a")]) == [.saved, .saved])
  }

  @Test
  func `a user cannot prevent a public record's deletion by naming the record as parent`() throws {
    var family = Family(.init("p"), .init("c", parent: "p"))
    family.records[0].created.userRecordName = Situation.anna
    family.isPublic = true
    #expect(try verdicts(family, [.delete("p")]) == [.deleted])
  }

  @Test func `when a save is refused, saves that refer to its record are refused as well`() throws {
    let operations: [RecordOperation] = [
      try .save("a", validated: ["b"]), try .save("b", validated: ["c"]),
      try .save("c", validated: ["x"]), try .save("d"),
    ]
    var family = Family()
    #expect(
      try verdicts(family, operations) == [Self.violation, Self.violation, Self.violation, .saved])
    family.isAtomic = true
    let atomic = try family.decide(operations)
    #expect(
      atomic.decision.verdicts == [
        .refused(.atomicError), .refused(.atomicError), Self.violation, .refused(.atomicError),
      ])
    #expect(atomic.references.records.isEmpty)
  }

  @Test
  func `a reference is refused if the save of its target in the same batch is refused`() throws {
    let family = Family()
    #expect(
      try verdicts(family, [.save("a", validated: ["t"]), .save("t", .update, tag: "1")])
        == [Self.violation, .refused(.notFound)])
  }

  @Test func `a child whose move is refused prevents its parent's deletion`() throws {
    let family = Family(.init("p"), .init("c", parent: "p"))
    #expect(
      try verdicts(
        family, [.delete("p"), .save("c", parent: .removed, .update, tag: "stale")])
        == [Self.violation, .refused(.conflict)])
  }

  @Test func `a batch that saves a record cannot delete the record's parent`() throws {
    let operations: [RecordOperation] = [
      try .delete("p"), try .save("c", parent: .set(recordName: "p")),
    ]
    var family = Family(.init("p"))
    #expect(try verdicts(family, operations) == [Self.violation, .saved])
    family.isAtomic = true
    #expect(try verdicts(family, operations) == [Self.violation, .refused(.atomicError)])
  }

  @Test func `a missing record can be deleted, but cannot be a parent`() throws {
    #expect(
      try verdicts(Family(), [.delete("p"), .save("c", parent: .set(recordName: "p"))])
        == [.deleted, Self.violation])
  }

  @Test func `a VALIDATE reference's target cannot be deleted in the same batch`() throws {
    let family = Family(.init("t"))
    #expect(
      try verdicts(family, [.save("a", validated: ["t"]), .delete("t")])
        == [Self.violation, .deleted])
  }

  @Test func `a refused save uses no change number and adds nothing to the schema`() throws {
    let (decision, references) = try Family().decide([
      .on(
        "a", .create, type: "New",
        fields: #"{"r":{"value":{"recordName":"x","action":"VALIDATE"}}}"#),
      .save("b"),
    ])
    #expect(references.records.map(\.change) == [101])
    #expect(decision.schemaAddition.isEmpty)
  }

  @Test func `each reference rule has its own error reason`() throws {
    let family = Family(.init("p"), .init("c", parent: "p"))
    func reason(_ operation: RecordOperation) throws -> String? {
      try family.decide([operation]).decision.refusal(at: 0)?.error.reason
    }
    #expect(try reason(.save("a", validated: ["x"])) == Reason.referenceTargetMissing)
    #expect(try reason(.save("a", parent: .set(recordName: "x"))) == Reason.parentMissing)
    #expect(try reason(.save("a", parent: .set(recordName: "a"))) == Reason.parentOfItself)
    #expect(try reason(.delete("p")) == Reason.recordHasChildren)
  }
}
