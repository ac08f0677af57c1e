import StratusWire

extension QueryKey {
  /// The query key for a field or property, by the name that apps use; nil if the name is invalid.
  init?(property name: String) {
    if let system = Self.properties[name] ?? SystemField(rawValue: name) {
      self.init(system: system)
      return
    }
    if name.isEmpty || name.contains(".") || name.hasPrefix("_") || name.hasPrefix("@") {
      return nil
    }
    self.init(field: name)
  }

  private static let properties: [String: SystemField] = [
    "recordID": .recordName, "creationDate": .creationDate,
    "modificationDate": .modificationDate, "creatorUserRecordID": .creator,
    "lastModifiedUserRecordID": .modifier,
  ]
}
