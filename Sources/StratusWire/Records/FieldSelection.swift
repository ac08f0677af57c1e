/// Which fields an answer shows, and how it writes numbers.
public struct FieldSelection: Sendable, Hashable {
  /// nil: all fields; empty: none.
  public var desiredKeys: Set<String>?
  /// Numbers as JSON strings, for clients whose numbers lose digits.
  public var numbersAsStrings: Bool

  /// All fields, numbers as numbers.
  public static let all = FieldSelection()

  public init(desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false) {
    self.desiredKeys = desiredKeys
    self.numbersAsStrings = numbersAsStrings
  }

  func writeMembers(to writer: inout JSONWriter) {
    writer.member("desiredKeys", strings: desiredKeys?.sorted())
    if numbersAsStrings { writer.member("numbersAsStrings", true) }
  }

  /// Reads the keys from a dictionary, absent ones from `outer`; both spellings of
  /// `numbersAsStrings` (wire-quirks A10, A11).
  init(json: JSONView, outer: FieldSelection = .all) throws(WireError) {
    desiredKeys = try json.strings("desiredKeys").map(Set.init) ?? outer.desiredKeys
    let numbers = try json.optionalBool("numbersAsStrings")
    let misspelt = try json.optionalBool("numberAsStrings")
    numbersAsStrings = numbers ?? misspelt ?? outer.numbersAsStrings
  }
}
