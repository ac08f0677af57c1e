import Foundation

extension CKRecord {
  /// The value of a field or property by its name; nil if there is none.
  ///
  /// On Apple's systems `NSObject` provides this method. On Linux `NSObject` has no key-value
  /// coding.
  public func value(forKey key: String) -> Any? {
    if let value = withState({ $0.values[key] }) { return value }
    return switch key {
    case "recordType": recordType
    case "recordID": recordID
    case "recordChangeTag": recordChangeTag
    case "creatorUserRecordID": creatorUserRecordID
    case "creationDate": creationDate
    case "lastModifiedUserRecordID": lastModifiedUserRecordID
    case "modificationDate": modificationDate
    case "parent": parent
    case "share": share
    default: nil
    }
  }

  /// Sets a field; nil removes its value. A value that a field cannot hold is a programmer error.
  public func setValue(_ value: Any?, forKey key: String) {
    let value = value.map(storedValue(for:))
    withState { $0.set(value, for: key) }
  }

  /// Sets fields by their names; `NSNull` removes a value. See ``setValue(_:forKey:)``.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
  }

  /// The values of fields and properties by their names, with `NSNull` for missing values.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }) { first, _ in first }
  }

  /// The words of the text fields, split at white space. They are in lower case and without
  /// diacritics, by the rules of the current locale.
  public func allTokens() -> [String] {
    let values = snapshot.values
    return values.flatMap { field -> [String] in
      guard let text = field.value as? NSString else { return [] }
      return String(describing: text)
        .folding(
          options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: .current
        )
        .split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }
}
