import StratusWire

// Remarks about parts without effect.
extension ParsedSchema {
  /// Parts of the file that have less effect than the author of the file may expect.
  public var remarks: [SchemaFault] {
    var remarks: [SchemaFault] = []
    for type in recordTypes {
      let name = type.name.value
      if type.grants.isEmpty {
        remarks.append(
          SchemaFault(
            type.name.position,
            "'\(name)' has no GRANT, so nobody can use its records in the public database; add "
              + "'GRANT READ TO \"_world\"' or remove the type from public use"))
      }
      for field in type.fields { remarks += field.remarks(in: name) }
    }
    return remarks
  }
}

extension ParsedField {
  fileprivate func remarks(in recordType: String) -> [SchemaFault] {
    var remarks: [SchemaFault] = []
    let place = "\(recordType).\(name.value)"
    if case .number(_, let preferred) = type.value {
      let kept = preferred?.schemaWord ?? "DOUBLE, or as INT64 if the field is INT64 already"
      remarks.append(
        SchemaFault(type.position, "'\(place)' is a NUMBER, which is kept as \(kept)"))
    }
    for option in options {
      if name.value == "___etag" {
        remarks.append(
          SchemaFault(option.position, "no query uses ___etag; \(option.value.rawValue) is ignored")
        )
      } else if !usable.contains(option.value.mark) {
        remarks.append(
          SchemaFault(
            option.position,
            "\(option.value.rawValue) of '\(place)' has no effect: no query uses it for this type"))
      }
    }
    return remarks
  }

  /// The index marks that queries can use for this field.
  private var usable: FieldIndexes {
    SystemField(rawValue: name.value)?.possibleMarks ?? .all(for: type.value.fieldType)
  }
}
