/// Reads how much of a store's disk space is unused.
public protocol SpaceReading {
  /// Whether the store keeps so much disk space of deleted data that the space should be returned.
  /// The result is always false if the engine returns the space itself.
  func hasUnusedSpace() throws(ServerError) -> Bool
}

/// Returns the disk space of deleted data to the operating system.
public protocol SpaceWriting {
  /// Returns a bounded part of the unused space, so that other writers hardly wait.
  ///
  /// - Returns: whether there is more to return.
  func returnUnusedSpace() throws(ServerError) -> Bool
}
