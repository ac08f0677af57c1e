import StratusWire

/// Where an operation leads by what it sends, as far as rules look at it.
///
/// Choice: what a record keeps from an earlier save is not held against the rules again. Else a
/// record whose target is gone could not be saved at all.
struct SentReferences: Sendable, Hashable {
  /// Targets of `VALIDATE`.
  var validated: [String] = []
  /// Targets of `DELETE_SELF`.
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
