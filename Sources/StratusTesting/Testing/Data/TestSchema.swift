import Foundation
import StratusAccounts
import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// The record types of a container and their fields, for the production environment of a test.
///
/// ```swift
/// try await server.deploy(
///   ["Note": ["text": .string, "tags": .list(of: .string), "due": .date.notIndexed]],
///   to: "iCloud.com.example.Notes")
/// ```
public struct TestSchema: Sendable, ExpressibleByDictionaryLiteral {
  /// The type of a field, and whether queries can use the field. By default, queries can use it.
  public struct Field: Sendable {
    var type: FieldType
    var isIndexed = true

    /// A text.
    public static let string = Field(type: FieldType(.string))
    /// A whole number.
    public static let int64 = Field(type: FieldType(.int64))
    /// A floating-point number.
    public static let double = Field(type: FieldType(.double))
    /// A date.
    public static let date = Field(type: FieldType(.timestamp))
    /// Bytes.
    public static let data = Field(type: FieldType(.bytes))
    /// A location.
    public static let location = Field(type: FieldType(.location))
    /// A link to another record.
    public static let reference = Field(type: FieldType(.reference))
    /// A file.
    public static let asset = Field(type: FieldType(.asset))

    /// Returns the type of a list with values of the given type.
    public static func list(of element: Field) -> Field {
      Field(type: FieldType(element.type.element, isList: true), isIndexed: element.isIndexed)
    }

    /// The same field without an index, so that queries cannot use the field.
    public var notIndexed: Field { Field(type: type, isIndexed: false) }
  }

  let recordTypes: [String: [String: Field]]

  /// Creates a schema from record types and their fields.
  public init(dictionaryLiteral elements: (String, [String: Field])...) {
    recordTypes = Dictionary(elements) { first, _ in first }
  }

  /// The change that turns an empty schema into this schema.
  ///
  /// Queries can filter and sort by every system field.
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

/// The schema of the production environment. Only a deployment changes this schema. In production,
/// a save of an unknown type or field fails with `CKError.invalidArguments`.
extension TestServer {
  /// Gives a container's production environment a schema.
  ///
  /// - Throws: the server's error if production already has a part of the schema.
  public func deploy(_ schema: TestSchema, to containerIdentifier: String) async throws {
    let address = StoreAddress(container: containerIdentifier, environment: .production)
    let addition = schema.addition
    try await core.composition.store(at: address).write { (store) throws(ServerError) in
      try store.add(addition)
    }
  }

  /// Deploys the development schema to production, as the console's *Deploy Schema Changes* does.
  ///
  /// - Throws: `CKError.serverRejectedRequest` with the server's reason, for example if the
  ///   container does not exist.
  public func deploySchema(of containerIdentifier: String) async throws {
    let request = DeploySchema.Request(containerID: containerIdentifier)
    try await manage(DeploySchema.path, request.jsonBytes)
  }

  /// Sends a management request, as an operator does.
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
