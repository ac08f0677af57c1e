/// Which of a container's databases.
public enum DatabaseScope: String, Sendable, Hashable, CaseIterable {
  case `public`, `private`, shared
}

/// Which copy of a container: the one that is built against, or the one that ships.
public enum ContainerEnvironment: String, Sendable, Hashable, CaseIterable {
  case development, production
}
