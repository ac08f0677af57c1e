import StratusWire

/// Changes the schema of a container, for the operator.
struct SchemaChanger: Sendable {
  let stores: any StoreCatalog
  let containers: any ContainerRegistry
  let ambient: Ambient

  /// The result of a change.
  struct Outcome: Sendable {
    /// The schema before the change.
    var old: Schema
    var evolution: SchemaEvolution
    var isApplied = false
  }

  enum Source: Sendable {
    case file(ParsedSchema)
    case development
  }

  /// - Throws: `NOT_FOUND` if the container does not exist.
  func store(
    of container: String, _ environment: ContainerEnvironment
  ) async throws(ServerError) -> any Store {
    guard try await containers.containers().contains(container) else {
      throw ServerError(.notFound, Reason.containerNotFound)
    }
    return try await stores.store(
      at: StoreAddress(container: container, environment: environment))
  }

  func schema(
    of container: String, _ environment: ContainerEnvironment
  ) async throws(ServerError) -> Schema {
    try await store(of: container, environment).read { (store) throws(ServerError) in
      try store.schema()
    }
  }

  /// Decides on a change, and applies it unless it is refused. One transaction reads the old schema
  /// and writes the new one.
  ///
  /// - Parameters:
  ///   - isDryRun: whether the change is only decided and not written.
  ///   - isStrict: whether the change is refused if it has a warning.
  func change(
    _ container: String, _ environment: ContainerEnvironment, to source: Source,
    isDryRun: Bool = false, isStrict: Bool = false
  ) async throws(ServerError) -> Outcome {
    let store = try await store(of: container, environment)
    let other = try await schema(
      of: container, environment == .production ? .development : .production)
    let judge: @Sendable (Schema) -> Outcome = { old in
      let evolution =
        switch source {
        case .file(let file):
          SchemaEvolution(
            from: old, to: file.schema(basedOn: old), in: environment,
            production: environment == .production ? old : other)
        case .development:
          SchemaEvolution(
            from: old, to: other.withoutRemovedPlaces, in: environment, production: old,
            source: .development)
        }
      return Outcome(old: old, evolution: evolution)
    }
    if isDryRun {
      return try await store.read { (store) throws(ServerError) in judge(try store.schema()) }
    }
    let now = ambient.now()
    return try await store.write { (store) throws(ServerError) in
      var outcome = judge(try store.schema())
      let evolution = outcome.evolution
      if evolution.refusals.isEmpty, !isStrict || evolution.warnings.isEmpty {
        try store.apply(evolution.steps, now: now)
        outcome.isApplied = true
      }
      return outcome
    }
  }
}

extension Schema {
  /// The schema without the record types and fields that are being removed.
  var withoutRemovedPlaces: Schema {
    if retirements.isEmpty { return self }
    return ParsedSchema(self).schema(basedOn: self)
  }
}
