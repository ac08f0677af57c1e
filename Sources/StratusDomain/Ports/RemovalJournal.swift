public import StratusWire

/// The journal of removed accounts, sessions, credentials and tokens. It lies beside the data, so
/// that it survives a restore of older data, which would bring the removed things back.
public protocol RemovalJournal: Sendable {
  /// Appends entries. They are on disk when the method returns.
  ///
  /// - Throws: `INTERNAL_ERROR`.
  func append(_ entries: [RemovalEntry]) throws(ServerError)
}

/// A journal that forgets its entries, for servers without a data folder.
public struct NoRemovalJournal: RemovalJournal {
  public init() {}
  public func append(_ entries: [RemovalEntry]) throws(ServerError) {}
}
