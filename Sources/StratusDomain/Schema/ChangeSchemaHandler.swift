import StratusWire

/// Answers ``ChangeSchema``.
struct ChangeSchemaHandler: ManagementHandler {
  typealias Endpoint = ChangeSchema

  let changer: SchemaChanger

  func answer(_ request: ChangeSchema.Request) async throws(ServerError) -> SchemaReport {
    guard let text = request.schema else {
      guard request.environment == .production else {
        throw .badRequest(
          "a schema file is missing; only production can be deployed to without one")
      }
      return try await report(request, .development, file: nil)
    }
    switch ParsedSchema.read(text) {
    case .faulty(let faults):
      // The container is looked up first. Otherwise, faults in the file would hide that the
      // container does not exist.
      _ = try await changer.store(of: request.containerID, request.environment)
      return SchemaReport(faults: faults.map { $0.message() })
    case .schema(let file): return try await report(request, .file(file), file: file)
    }
  }

  private func report(
    _ request: ChangeSchema.Request, _ source: SchemaChanger.Source, file: ParsedSchema?
  ) async throws(ServerError) -> SchemaReport {
    let outcome = try await changer.change(
      request.containerID, request.environment, to: source, isDryRun: request.isDryRun,
      isStrict: request.isStrict)
    let evolution = outcome.evolution
    var report = SchemaReport(
      refusals: evolution.refusals.map { $0.message(in: file) },
      warnings: evolution.warnings.map { $0.message(in: file) },
      steps: evolution.steps.map(\.text), isApplied: outcome.isApplied)
    if request.isStrict {
      report.refusals += report.warnings
      report.warnings = []
    }
    report.warnings += (file?.remarks ?? []).map { $0.message() }
    return report
  }
}

extension SchemaFault {
  func message() -> SchemaReport.Message {
    SchemaReport.Message(line: position.line, column: position.column, reason: reason)
  }
}

extension SchemaEvolution.Finding {
  /// - Parameter file: the file in which the finding has a position.
  func message(in file: ParsedSchema?) -> SchemaReport.Message {
    let position = file.map { file in
      place.flatMap { file.position(of: $0) } ?? SchemaPosition.start
    }
    return SchemaReport.Message(
      line: position?.line, column: position?.column, reason: reason)
  }
}

/// Answers ``ExportSchema``.
struct ExportSchemaHandler: ManagementHandler {
  typealias Endpoint = ExportSchema

  let changer: SchemaChanger

  func answer(
    _ request: ExportSchema.Request
  ) async throws(ServerError) -> ExportSchema.Response {
    let schema = try await changer.schema(of: request.containerID, request.environment)
    return ExportSchema.Response(schema: ParsedSchema(schema).text)
  }
}

/// Answers ``ResetSchema``.
struct ResetSchemaHandler: ManagementHandler {
  typealias Endpoint = ResetSchema

  let changer: SchemaChanger
  let users: UserRecords

  func answer(_ request: ResetSchema.Request) async throws(ServerError) -> SchemaReport {
    let production = try await changer.schema(of: request.containerID, .production)
    let store = try await changer.store(of: request.containerID, .development)
    let now = changer.ambient.now()
    let steps = try await store.write { (store) throws(ServerError) in
      let old = try store.schema()
      try store.removeAllData()
      if old.settings.versionDays != nil { try store.beginVersions(at: now) }
      let empty = Schema(settings: old.settings)
      let evolution = SchemaEvolution(
        from: empty, to: production.withoutRemovedPlaces, in: .development, production: empty)
      try store.apply(evolution.steps, now: now)
      return evolution.steps.map(\.text)
    }
    users.forget(
      at: StoreAddress(container: request.containerID, environment: .development))
    return SchemaReport(steps: steps, isApplied: true)
  }
}
