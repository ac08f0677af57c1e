/// Reads how much of a store's disk space is unused.
public protocol SpaceReading {
  /// Whether deleted data have left so much unused disk space in the store that the space should be
  /// given back to the operating system. The result is always false for an engine that manages
  /// unused space by itself.
  func hasUnusedSpace() throws(ServerError) -> Bool
}

/// Gives the disk space of deleted data back to the operating system.
public protocol SpaceWriting {
  /// Gives a bounded part of the unused space back to the operating system, so that other writers
  /// hardly wait.
  ///
  /// - Returns: whether more space should be given back.
  func returnUnusedSpace() throws(ServerError) -> Bool
}
