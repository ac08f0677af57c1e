/// A problem that keeps a server from working until an operator repairs it.
public struct HealthProblem: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// The disk of the data folder is full. Writes are postponed until there is space.
    case diskFull = "disk-full"
    /// A file is missing, empty, or not the one that the server wrote.
    case lost
    /// A file is not in the expected format.
    case damaged
  }

  public var kind: Kind
  /// The affected store. It is nil if the problem affects the whole server, or the server's own
  /// file.
  public var store: StoreAddress?

  public init(_ kind: Kind, store: StoreAddress? = nil) {
    self.kind = kind
    self.store = store
  }
}
