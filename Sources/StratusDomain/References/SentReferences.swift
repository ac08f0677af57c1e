import StratusWire

/// Those references of an operation that must be checked.
///
/// Choice: references in fields that the operation does not contain are not checked again.
/// Otherwise no save could change another field of a record whose target was deleted.
struct SentReferences: Sendable, Hashable {
  /// The targets of references with the action `VALIDATE`.
  var validated: [String] = []
  /// The targets of references with the action `DELETE_SELF`.
  var deleteSelf: [String] = []
  var parent: String?

  init() {}

  init(_ changes: [(key: String, value: FieldValue?)], parent: ParentChange) {
    for change in changes { if let value = change.value { add(value) } }
    switch parent {
    case .unchanged, .removed: return
    case .set(let recordName): self.parent = recordName
    }
  }

  var isEmpty: Bool { validated.isEmpty && deleteSelf.isEmpty && parent == nil }

  private mutating func add(_ value: FieldValue) {
    switch value {
    case .reference(let reference):
      switch reference.action {
      case .none: return
      case .deleteSelf: deleteSelf.append(reference.recordName)
      case .validate: validated.append(reference.recordName)
      }
    case .list(.reference, let values): for value in values { add(value) }
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset, .sealed, .list: return
    }
  }
}

extension StoredRecord {
  /// Returns the targets of `deleteSelf` references, without computing the other ``DerivedRows``.
  ///
  /// - Throws: `INTERNAL_ERROR` if the stored fields cannot be read.
  func deleteSelfTargets(schema: Schema) throws(ServerError) -> Set<ExactName> {
    let holdsLinks = schema.recordTypes[type]?.holdsLinksOrAssets ?? true
    if isDeleted || !holdsLinks { return [] }
    let values: [(key: String, value: FieldValue?)] = try fields.storedValues().map { ($0, $1) }
    return Set(SentReferences(values, parent: .unchanged).deleteSelf.map(ExactName.init))
  }
}

extension FieldValue {
  /// Adds the targets of all references, whatever their action.
  func collectTargets(into targets: inout Set<ExactName>) {
    switch self {
    case .reference(let reference): targets.insert(ExactName(reference.recordName))
    case .list(.reference, let values):
      for value in values { value.collectTargets(into: &targets) }
    case .string, .int64, .double, .timestamp, .bytes, .location, .asset, .sealed, .list: return
    }
  }
}
