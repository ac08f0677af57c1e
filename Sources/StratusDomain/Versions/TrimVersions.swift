public import StratusWire

/// Removes the record versions that exceed the bounds of their store. Each step is one transaction.
public struct TrimVersions: Sendable {
  private let store: any Store
  private let ambient: Ambient
  private let countMax: Int64
  private let bytesMax: Int64

  /// - Parameters:
  ///   - countMax: the maximum number of versions in the store.
  ///   - bytesMax: the maximum number of bytes of the versions.
  public init(
    store: any Store, ambient: Ambient, countMax: Int64 = Limits.recordVersionsMax,
    bytesMax: Int64 = Limits.recordVersionsBytesMax
  ) {
    self.store = store
    self.ambient = ambient
    self.countMax = countMax
    self.bytesMax = bytesMax
  }

  /// Runs one step. If the store keeps no versions and has none left, the step only looks for one
  /// row.
  ///
  /// - Parameter limit: the maximum number of versions, and of deleted zones, that the step
  ///   removes.
  /// - Returns: whether there may be more to do.
  public func step(limit: Int = Limits.versionsTrimmedTogether) async throws(ServerError) -> Bool {
    let now = ambient.now()
    let bounds = try await store.read {
      [countMax, bytesMax] (store) throws(ServerError) -> VersionBounds? in
      guard let extent = try store.versionExtent() else { return nil }
      guard let days = try store.schema().settings.versionDays else {
        return VersionBounds(time: nil)
      }
      return VersionBounds(
        time: now - days * 86_400_000, excessCount: extent.count - countMax,
        excessBytes: extent.bytes - bytesMax)
    }
    guard let bounds else { return false }
    return try await store.write { (store) throws(ServerError) in
      // NB: the operator may have switched versions on again after the bounds were read.
      if bounds.time == nil, try store.schema().settings.versionDays != nil { return true }
      return try store.trimVersions(bounds, limit: limit)
    }
  }
}
