import Foundation
import StratusAccounts
import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// The record types of a container, with their fields, for the production environment of a test.
///
/// ```swift
/// try await server.deploy(
///   ["Note": ["text": .string, "tags": .list(of: .string), "due": .date.notIndexed]],
///   to: "iCloud.com.example.Notes")
/// ```
public struct TestSchema: Sendable, ExpressibleByDictionaryLiteral {
  /// The type of a field, and whether queries may ask for it; they may unless the contrary is said.
  public struct Field: Sendable {
    var type: FieldType
    var isIndexed = true

    public static let string = Field(type: FieldType(.string))
    public static let int64 = Field(type: FieldType(.int64))
    public static let double = Field(type: FieldType(.double))
    public static let date = Field(type: FieldType(.timestamp))
    public static let data = Field(type: FieldType(.bytes))
    public static let location = Field(type: FieldType(.location))
    public static let reference = Field(type: FieldType(.reference))
    public static let asset = Field(type: FieldType(.asset))

    /// A list of values of a type.
    public static func list(of element: Field) -> Field {
      Field(type: FieldType(element.type.element, isList: true), isIndexed: element.isIndexed)
    }

    /// The same field without an index: no query may ask for it.
    public var notIndexed: Field { Field(type: type, isIndexed: false) }
  }

  let recordTypes: [String: [String: Field]]

  /// Each record type with its fields.
  public init(dictionaryLiteral elements: (String, [String: Field])...) {
    recordTypes = Dictionary(elements) { first, _ in first }
  }

  /// What a schema without any of it lacks.
  ///
  /// Queries may ask for the system's fields, too: their indexes are those of a type that
  /// development has queried by all of them.
  var addition: SchemaAddition {
    var addition = SchemaAddition()
    for (name, fields) in recordTypes.sorted(by: { $0.key < $1.key }) {
      addition.recordTypes.append(name)
      for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
        addition.fields.append(
          SchemaAddition.Field(
            recordType: name, name: field, type: value.type,
            indexes: value.isIndexed ? .all(for: value.type) : []))
      }
      addition.markings += SystemField.allCases.map { field in
        SchemaAddition.Marking(
          recordType: name, key: .system(field), indexes: [.queryable, .sortable])
      }
    }
    return addition
  }
}

/// The schema of production, which nothing else changes: saving a type or field that it lacks is
/// `CKError.invalidArguments` there.
extension TestServer {
  /// Gives a container's production environment a schema.
  ///
  /// - Throws: what the server throws where production has a part of it already.
  public func deploy(_ schema: TestSchema, to containerIdentifier: String) async throws {
    let address = StoreAddress(container: containerIdentifier, environment: .production)
    // A container that is named to the server for the first time is made.
    _ = try await core.userRecordName(
      of: AccountState(email: "developer@localhost", tokens: developer), at: address)
    let addition = schema.addition
    try await core.composition.store(at: address).write { (store) throws(ServerError) in
      try store.add(addition)
    }
  }

  /// Brings what development has learnt into production, as the console's *Deploy Schema Changes*
  /// does.
  ///
  /// - Throws: what the server throws, e.g. for a container that nobody has used.
  public func deploySchema(of containerIdentifier: String) async throws {
    let request = DeploySchema.Request(containerID: containerIdentifier)
    try await manage(DeploySchema.path, request.jsonBytes)
  }

  /// Asks what an operator asks.
  ///
  /// - Throws: `CKError.serverRejectedRequest` with the server's reason.
  private func manage(_ endpoint: String, _ body: [UInt8]) async throws {
    guard let url = URL(string: "http://stratus.test/management/1/\(endpoint)") else { return }
    let answer = try await RouterExchange(router: router).send(
      HTTPRequest(
        url: url, headers: ["Authorization": "Bearer \(managementToken)"], body: body,
        timeoutSeconds: 60))
    guard answer.status != 200 else { return }
    let reason = (try? ErrorDictionary(jsonBytes: answer.body))?.reason ?? "\(answer.status)"
    throw CKError(
      .serverRejectedRequest, userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
