extension FieldsJSON {
  /// Returns a copy of the fields. Each asset in the copy is the result of `replacement`. Fields
  /// without assets stay unchanged, byte for byte.
  ///
  /// - Throws: ``WireError`` if the text does not have the form that the server writes.
  public func replacingAssets(
    _ replacement: (Asset) -> Asset
  ) throws(WireError) -> FieldsJSON {
    let view = try JSONView(parsing: text)
    var fields: [(key: String, json: JSONView, value: FieldValue?)] = []
    for member in view.members {
      var value: FieldValue?
      if member.value["type"]?.isAssetType ?? false {
        value = try FieldValue(storedField: member.value).replacingAssets(replacement)
      }
      fields.append((member.key, member.value, value))
    }
    var writer = JSONWriter(reserving: text.count + 512)
    writer.object { writer in
      for field in fields {
        writer.key(field.key)
        if let value = field.value {
          value.writeField(to: &writer)
        } else {
          writer.raw(field.json.text)
        }
      }
    }
    return FieldsJSON(text: writer.bytes)
  }
}

extension FieldValue {
  fileprivate func replacingAssets(_ replacement: (Asset) -> Asset) -> FieldValue {
    switch self {
    case .asset(let asset): .asset(replacement(asset))
    case .list(.asset, let values):
      .list(.asset, values.map { $0.replacingAssets(replacement) })
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference, .sealed, .list: self
    }
  }
}

extension JSONView {
  fileprivate var isAssetType: Bool {
    string.flatMap { FieldType(name: $0) }?.element == .asset
  }
}

extension RecordOperation {
  /// The checksums of the files in this operation, as the client sent them.
  ///
  /// NB: every save uses this property, so it reads the JSON text without decoding the values.
  public var assetChecksums: [String] {
    guard let fields else { return [] }
    var checksums: [String] = []
    for field in fields.members {
      guard let value = field.value["value"] else { continue }
      if value.isObject {
        if let checksum = value["fileChecksum"]?.string { checksums.append(checksum) }
      } else if value.isArray {
        for element in value.elements {
          guard element.value.isObject else { break }
          if let checksum = element.value["fileChecksum"]?.string { checksums.append(checksum) }
        }
      }
    }
    return checksums
  }
}
