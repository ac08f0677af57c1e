/// A position in a schema file. Lines and columns begin with 1.
///
/// `Choice:` a column counts Unicode scalars. A tab counts as one column.
public struct SchemaPosition: Sendable, Hashable {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The first character of a file.
  public static let start = SchemaPosition(line: 1, column: 1)
}

/// A fault in a schema file, with the sentence that says how to correct it.
public struct SchemaFault: Error, Sendable, Hashable {
  public var position: SchemaPosition
  public var reason: String

  public init(_ position: SchemaPosition, _ reason: String) {
    self.position = position
    self.reason = reason
  }
}

/// A part of a schema file with its position. Only the values are compared for equality.
public struct Located<Value: Sendable & Hashable>: Sendable, Hashable {
  public var value: Value
  public var position: SchemaPosition

  public init(_ value: Value, _ position: SchemaPosition = .start) {
    self.value = value
    self.position = position
  }

  public static func == (left: Self, right: Self) -> Bool { left.value == right.value }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
