import StratusWire
import Testing

@Suite struct `Schemas from the last release before sharing` {
  private func export(
    _ container: String, _ environment: ContainerEnvironment, _ golden: GoldenServer
  ) async throws -> String {
    try await golden.manage(
      ExportSchema.self, .init(containerID: container, environment: environment)
    ).schema
  }

  private func change(
    _ container: String, _ environment: ContainerEnvironment, to schema: String?,
    _ golden: GoldenServer
  ) async throws -> SchemaReport {
    try await golden.manage(
      ChangeSchema.self,
      .init(containerID: container, environment: environment, schema: schema))
  }

  @Test(arguments: [false, true])
  func `an old schema can be exported, imported and deployed unchanged`(isReopened: Bool)
    async throws
  {
    try await withGoldenServer(isReopened: isReopened) { golden in
      let development = try await export(GoldenFiles.golden, .development, golden)
      #expect(development.contains("RECORD TYPE "))
      // An import of the schema into its own container changes nothing.
      let same = try await change(GoldenFiles.golden, .development, to: development, golden)
      #expect(same.isApplied && same.steps.isEmpty, "\(same)")
      // After a deployment, production has everything that development has.
      let deployed = try await change(GoldenFiles.golden, .production, to: nil, golden)
      #expect(deployed.isApplied, "\(deployed)")
      let again = try await change(GoldenFiles.golden, .production, to: nil, golden)
      #expect(again.isApplied && again.steps.isEmpty, "\(again)")
      // A new container gets the same schema from the file, in both environments.
      let copy = "iCloud.org.example.Copy"
      _ = try await golden.manage(CreateContainer.self, .init(containerID: copy))
      let imported = try await change(copy, .development, to: development, golden)
      #expect(imported.isApplied && imported.warnings.isEmpty, "\(imported)")
      #expect(try await export(copy, .development, golden) == development)
      _ = try await change(copy, .production, to: nil, golden)
      #expect(try await export(copy, .production, golden) == development)
    }
  }
}
