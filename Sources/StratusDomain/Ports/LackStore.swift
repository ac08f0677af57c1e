/// Reads the refusals of what a production schema lacks.
public protocol LackReading {
  /// The counts, the most frequent first.
  func lackCounts() throws(ServerError) -> [LackCount]
}

/// Counts the refusals of what a production schema lacks.
public protocol LackWriting {
  /// Adds to the counts. At most ``Limits/lacksPerStoreMax`` rows stay: the least frequent and
  /// oldest are removed.
  func add(_ counts: [LackCount]) throws(ServerError)

  /// Removes the counts of some parts.
  func remove(_ lacks: Set<ProductionLack>) throws(ServerError)
}
