extension String {
  /// Whether two names are the same byte for byte, as the server and Apple's framework compare
  /// them.
  ///
  /// NB: Swift's `==` also equates what only looks the same: "é" in one scalar and in two. Hashing
  /// may stay Swift's: it is merely coarser.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
