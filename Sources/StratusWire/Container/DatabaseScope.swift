/// One of the databases of a container.
public enum DatabaseScope: String, Sendable, Hashable, CaseIterable {
  case `public`, `private`, shared
}

/// One of the two copies of a container: development for building an app, production for its
/// release.
public enum ContainerEnvironment: String, Sendable, Hashable, CaseIterable {
  case development, production
}
