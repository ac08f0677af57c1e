/// One of the databases of a container.
public enum DatabaseScope: String, Sendable, Hashable, CaseIterable {
  case `public`, `private`, shared
}

/// One of the two environments of a container. An app uses development while it is built, and
/// production after its release.
public enum ContainerEnvironment: String, Sendable, Hashable, CaseIterable {
  case development, production
}
