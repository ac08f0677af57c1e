/// Something that keeps a server from its work until an operator mends it.
public struct HealthProblem: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// The disk of the data folder has no room left: writes are put off.
    case diskFull = "disk-full"
    /// A file is missing, empty, or another one than the server wrote.
    case lost
    /// A file cannot be read as what it is.
    case damaged
  }

  public var kind: Kind
  /// The store it is about; nil: the server as a whole, or its own file.
  public var store: StoreAddress?

  public init(_ kind: Kind, store: StoreAddress? = nil) {
    self.kind = kind
    self.store = store
  }
}
