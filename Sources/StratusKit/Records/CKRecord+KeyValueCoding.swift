import Foundation

extension CKRecord {
  /// The value of a field, or of a property of the record, by its name; nil if there is none.
  ///
  /// Apple's systems have it from `NSObject`, which knows no key-value coding elsewhere.
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

  /// Sets a field; nil removes its value. A value of no kind a field can hold is a programmer's
  /// error.
  public func setValue(_ value: Any?, forKey key: String) {
    let value = value.map(storedValue(for:))
    withState { $0.set(value, for: key) }
  }

  /// The words of the text fields: split at white space, in lower case and without diacritics by
  /// the rules of the current locale.
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
