import StratusWire
import Testing

@testable import StratusDomain

/// The phases in which a field or record type is removed from production
/// (docs/internals/schema.md).
@Suite struct PhasesOfRetirement {
  private static let now: Int64 = 100 * 86_400_000
  private static let title = SchemaPlace("Note", "title")

  private static func schema(_ retirement: Retirement? = nil) -> Schema {
    Schema(
      recordTypes: [
        "Note": RecordType(
          name: "Note",
          fields: [
            "title": FieldDefinition(type: FieldType(.string), indexes: .queryable),
            "text": FieldDefinition(type: FieldType(.string)),
            "secret": FieldDefinition(type: FieldType(.string, isEncrypted: true)),
          ])
      ], retirements: retirement.map { [$0] } ?? [])
  }

  private static func retirement(
    _ phase: Retirement.Phase, days: Int64 = 20, successor: String? = nil, isCopied: Bool = true
  ) -> Retirement {
    Retirement(
      title, phase: phase, successor: successor, isCopied: isCopied,
      since: now - days * 86_400_000)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var action: RetireSchema.Action
    var place = "Note.title"
    var newName: String?
    var isForced = false
    var present: Retirement?
    var lastWriteDays: Int64?
    var effect: RetirementDecision.Effect?
    /// A part of the expected error reason, or nil if the request succeeds.
    var refusal: String?

    var testDescription: String { "\(action) \(place) \(refusal ?? "is done")" }
  }

  static let rows: [Row] = [
    Row(
      action: .report,
      effect: .set(Retirement(title, phase: .reported, since: now), adding: nil)),
    Row(
      action: .refuse,
      effect: .set(Retirement(title, phase: .refused, since: now), adding: nil)),
    Row(
      action: .refuse, present: retirement(.reported),
      effect: .set(retirement(.refused), adding: nil)),
    Row(
      action: .report, present: retirement(.refused),
      effect: .set(retirement(.reported), adding: nil)),
    Row(
      action: .refuse, present: retirement(.reported, successor: "name", isCopied: false),
      refusal: "still being copied"),
    Row(action: .report, place: "Memo", refusal: "there is no record type 'Memo'"),
    Row(action: .report, place: "Note.body", refusal: "has no field 'body'"),
    Row(
      action: .report, present: retirement(.removing), refusal: "is being removed already"),
    Row(action: .cancel, present: retirement(.refused), effect: .end),
    Row(action: .cancel, refusal: "is not retiring"),
    Row(action: .cancel, present: retirement(.removing), refusal: "cannot be undone"),
    Row(
      action: .rename, newName: "name",
      effect: .set(
        Retirement(title, phase: .reported, successor: "name", isCopied: false, since: now),
        adding: SchemaAddition.Field(
          recordType: "Note", name: "name", type: FieldType(.string), indexes: .queryable))),
    Row(action: .rename, refusal: "the new name is missing"),
    Row(action: .rename, newName: "text", refusal: "already has a field 'text'"),
    Row(action: .rename, newName: "_name", refusal: "Invalid field name"),
    Row(
      action: .rename, newName: "name", present: retirement(.reported),
      refusal: "is retiring already"),
    Row(action: .rename, place: "Note", newName: "Memo", refusal: "cannot be renamed"),
    Row(action: .rename, place: "Note.secret", newName: "open", refusal: "only apps can copy"),
    Row(
      action: .report, place: "Note.text", present: retirement(.reported, successor: "text"),
      refusal: "'Note.text' is the new name of 'Note.title'"),
    Row(action: .drop, refusal: "is not retiring; begin with"),
    Row(action: .drop, isForced: true, refusal: "is not retiring; begin with"),
    Row(action: .drop, present: retirement(.reported), effect: .remove),
    Row(action: .drop, present: retirement(.refused), lastWriteDays: 15, effect: .remove),
    Row(
      action: .drop, present: retirement(.refused), lastWriteDays: 13,
      refusal: "the device phone wrote 'Note.title' within the last 14 days"),
    Row(
      action: .drop, isForced: true, present: retirement(.refused), lastWriteDays: 0,
      effect: .remove),
    Row(
      action: .drop, present: retirement(.reported, days: 13),
      refusal: "has been retiring for fewer than 14 days"),
    Row(
      action: .drop, isForced: true,
      present: retirement(.reported, successor: "name", isCopied: false),
      refusal: "still being copied"),
  ]

  @Test(arguments: rows)
  func `a retirement request takes effect, or its refusal names the next step`(
    _ row: Row
  ) throws {
    func decide() throws(ServerError) -> RetirementDecision {
      try RetirementDecision(
        row.action, at: SchemaPlace(text: row.place), newName: row.newName,
        isForced: row.isForced, schema: Self.schema(row.present),
        lastWrite: row.lastWriteDays.map {
          RetiredWrite(
            deviceID: "phone", userRecordName: "_u", time: Self.now - $0 * 86_400_000, count: 1)
        }, now: Self.now)
    }
    if let refusal = row.refusal {
      let error = #expect(throws: ServerError.self) { try decide() }
      #expect(error?.code == .badRequest)
      #expect(error?.reason.contains(refusal) == true, "\(error?.reason ?? "")")
    } else {
      #expect(try decide().effect == row.effect)
    }
  }

  @Test func `the record type Users cannot be retired`() {
    let schema = Schema(recordTypes: ["Users": RecordType(name: "Users")])
    #expect(throws: ServerError.self) {
      try RetirementDecision(
        .report, at: SchemaPlace("Users"), newName: nil, isForced: false, schema: schema,
        lastWrite: nil, now: 0)
    }
  }
}
