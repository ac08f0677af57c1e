import StratusWire

extension QueryKey {
  /// A field or a property of records, by the name an app gives it; nil: it is no such name.
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
