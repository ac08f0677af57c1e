/// The fields that an answer contains, and whether its numbers are JSON numbers or JSON strings.
public struct FieldSelection: Sendable, Hashable {
  /// The names of the requested fields. nil means all fields, and an empty set means none.
  public var desiredKeys: Set<String>?
  /// Whether numbers are JSON strings, for clients whose number type would lose digits.
  public var numbersAsStrings: Bool

  /// The selection of all fields, with numbers as JSON numbers.
  public static let all = FieldSelection()

  public init(desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false) {
    self.desiredKeys = desiredKeys
    self.numbersAsStrings = numbersAsStrings
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("desiredKeys", strings: desiredKeys?.sorted())
    if numbersAsStrings { writer.member("numbersAsStrings", true) }
  }

  /// Reads the options from a dictionary. If a key is missing, its option is taken from `outer`.
  /// Both spellings of `numbersAsStrings` are accepted.
  init(json: JSONView, outer: FieldSelection = .all) throws(WireError) {
    desiredKeys = try json.strings("desiredKeys").map(Set.init) ?? outer.desiredKeys
    let numbers = try json.optionalBool("numbersAsStrings")
    let misspelt = try json.optionalBool("numberAsStrings")
    numbersAsStrings = numbers ?? misspelt ?? outer.numbersAsStrings
  }
}
