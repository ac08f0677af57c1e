/// Reads the counts of requests that were refused because the production schema lacks something.
public protocol LackReading {
  /// Returns the counts, with the most frequent first.
  func lackCounts() throws(ServerError) -> [LackCount]
}

/// Counts the requests that were refused because the production schema lacks something.
public protocol LackWriting {
  /// Adds to the counts. At most ``Limits/lacksPerStoreMax`` rows stay. If there are more, the rows
  /// with the lowest counts are removed. Of rows with equal counts, the oldest are removed first.
  func add(_ counts: [LackCount]) throws(ServerError)

  /// Removes the counts of some missing parts of the schema.
  func remove(_ lacks: Set<ProductionLack>) throws(ServerError)
}
