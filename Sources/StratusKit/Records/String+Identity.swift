extension String {
  /// Whether two names are equal byte for byte, which is how the server and Apple's framework
  /// compare them.
  ///
  /// NB: Swift's `==` also equates different encodings of the same text, such as "é" as one scalar
  /// and as two. Swift's hash can still be used, because byte-equal names have equal hashes.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
