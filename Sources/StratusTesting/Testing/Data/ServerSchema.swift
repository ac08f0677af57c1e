public import Foundation
import StratusDomain
import StratusServer
import StratusWire

/// The rules for the schema that a ``TestServer`` applies to apps.
///
/// ```swift
/// let server = try await TestServer(schema: .production("CloudKit/schema.ckdb"))
/// ```
public struct ServerSchema: Sendable {
  private let file: URL?

  /// The first save creates a record type or field, and the first query creates an index. Apps run
  /// in the development environment.
  public static let development = ServerSchema(file: nil)

  /// Every container has the schema of a `.ckdb` file, and apps run in the production environment.
  /// A save or query that needs more than this schema fails, as for an app from the App Store.
  ///
  /// - Parameter file: an exported schema, such as the file that the project deploys.
  public static func production(_ file: URL) -> ServerSchema { ServerSchema(file: file) }

  /// Does the same as the method with a URL, for the schema file at this path. A relative path
  /// begins in the current folder. With `swift test`, the current folder is the package's folder.
  public static func production(_ path: String) -> ServerSchema {
    .production(URL(fileURLWithPath: path))
  }

  /// Reads the schema of the file. Returns nil for the development environment, which has no file.
  ///
  /// - Throws: ``SchemaFileError``.
  func read() throws -> Schema? {
    guard let file else { return nil }
    guard let text = try? String(contentsOf: file, encoding: .utf8) else {
      throw SchemaFileError(["the schema file \(file.path) cannot be read; check the path"])
    }
    switch ParsedSchema.read(text) {
    case .schema(let parsed): return parsed.schema(basedOn: Schema())
    case .faulty(let faults):
      throw SchemaFileError(
        faults.map { fault in
          "\(file.path):\(fault.position.line):\(fault.position.column): \(fault.reason)"
        })
    }
  }
}

/// The reason why a schema file cannot be used.
public struct SchemaFileError: Error, Sendable, CustomStringConvertible {
  /// One line for each fault, with file, line, column and reason.
  public let faults: [String]

  init(_ faults: [String]) { self.faults = faults }

  public var description: String { faults.joined(separator: "\n") }
}

extension TestCore {
  /// The environment of an app that does not name an environment.
  var environment: ContainerEnvironment { schema == nil ? .development : .production }

  /// Gives a production store the schema of the server, before its first request.
  ///
  /// - Throws: the store's error.
  func prepare(_ address: StoreAddress) async throws(ServerError) {
    guard let schema, address.environment == .production, !hasPrepared(address) else { return }
    try await composition.store(at: address).write { (store) throws(ServerError) in
      let known = try store.schema()
      // A folder of an earlier server already has the types.
      try store.add(schema.addition(lackingIn: known))
      if known.customRoles != schema.customRoles {
        try store.set(customRoles: schema.customRoles)
      }
      for (name, type) in schema.recordTypes where known.recordTypes[name]?.grants != type.grants {
        try store.set(type.grants, of: name)
      }
    }
    notePrepared(address)
  }
}

extension Schema {
  /// Returns the types and fields of this schema that another schema lacks, and all index marks of
  /// the system fields.
  fileprivate func addition(lackingIn known: Schema) -> SchemaAddition {
    var addition = SchemaAddition()
    for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
      if known.recordTypes[name] == nil { addition.recordTypes.append(name) }
      for (field, definition) in type.fields.sorted(by: { $0.key < $1.key })
      where known.recordTypes[name]?.fields[field] == nil {
        addition.fields.append(
          SchemaAddition.Field(
            recordType: name, name: field, type: definition.type, indexes: definition.indexes))
      }
      for (field, marks) in type.systemFields where !marks.isEmpty {
        addition.markings.append(
          SchemaAddition.Marking(recordType: name, key: .system(field), indexes: marks))
      }
    }
    return addition
  }
}
