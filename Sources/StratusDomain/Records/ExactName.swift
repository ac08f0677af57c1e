/// A name that equals another name only if both have the same bytes. Stores and clients compare
/// names in this way.
///
/// NB: Swift strings are equal if they look equal ("é" as one scalar or two). Strings are therefore
/// safe as keys only if every name is ASCII.
public struct ExactName: Sendable, Hashable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Dictionary where Key == ExactName {
  public subscript(name: String) -> Value? { self[ExactName(name)] }
}
