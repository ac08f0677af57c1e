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
  /// The affected store, or nil if the fault affects the server as a whole, or its own file.
  public var store: StoreAddress?

  public init(_ kind: Kind, store: StoreAddress? = nil) {
    self.kind = kind
    self.store = store
  }
}
