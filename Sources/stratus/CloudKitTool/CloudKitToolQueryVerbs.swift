import ArgumentParser
import StratusWire

/// The options that select records.
struct CloudKitToolQuery: ParsableArguments {
  @Option(help: "The record type.")
  var recordType: String

  @Option(parsing: .upToNextOption, help: "The filters, each as \"FIELD OP VALUE\".")
  var filters: [String] = []

  func query(sorts: [QuerySort] = []) throws -> Query {
    Query(
      recordType: recordType,
      filters: try filters.map { .field(try CloudKitToolFilter($0).filter) },
      sorts: sorts)
  }
}

/// `query-records`.
struct QueryRecordsVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query-records", abstract: "Print records of a type.")

  @OptionGroup var database: CloudKitToolDatabase
  @OptionGroup var query: CloudKitToolQuery

  @Option(
    parsing: .upToNextOption,
    help: "The sort orders, each as \"FIELD ASC\" or \"FIELD DESC\".")
  var sortBy: [String] = []

  @Option(parsing: .upToNextOption, help: "The fields to print. Default: all fields.")
  var requestedFields: [String] = []

  @Option(help: "The maximum number of records, 1 to 200.")
  var limit = 200

  @Option(help: "The continuationToken of an earlier page.")
  var continuationToken: String?

  func run() async throws {
    try requireNumber(limit, in: 1...200, of: "--limit")
    let response = try await database.send(
      QueryRecords.self,
      .init(
        query: try query.query(sorts: try sortBy.map(Self.sort)), zoneID: database.zoneID,
        resultsLimit: limit, continuationMarker: continuationToken,
        selection: FieldSelection(
          desiredKeys: requestedFields.isEmpty ? nil : Set(requestedFields))),
      isIdempotent: true)
    let records = try response.records.map { ToolRecord(try CloudKitToolDatabase.record(of: $0)) }
    say(json: ToolPage(records: records, continuationToken: response.continuationMarker))
  }

  private static func sort(_ text: String) throws -> QuerySort {
    let words = text.split(separator: " ")
    let order = words.count == 2 ? words[1].uppercased() : "ASC"
    guard let field = words.first, words.count <= 2, order == "ASC" || order == "DESC" else {
      throw Failure("the sort '\(text)' must be \"FIELD ASC\" or \"FIELD DESC\"")
    }
    let key =
      SystemField(rawValue: String(field)).map { QueryKey(system: $0) }
      ?? QueryKey(field: String(field))
    return QuerySort(key, isAscending: order == "ASC")
  }
}

/// `delete-records`.
struct DeleteRecordsVerb: AsyncParsableCommand {
  enum Truth: String, ExpressibleByArgument, CaseIterable { case `true`, `false` }

  static let configuration = CommandConfiguration(
    commandName: "delete-records",
    abstract: "Count the records of a query, or delete them with --dry-run false.")

  @OptionGroup var database: CloudKitToolDatabase
  @OptionGroup var query: CloudKitToolQuery

  @Option(help: "Whether the records are only counted: true or false.")
  var dryRun: Truth = .true

  @Flag(name: [.short, .long], help: "Delete without confirmation.")
  var yes = false

  func run() async throws {
    let names = try await self.names()
    if dryRun == .true { return say(json: ToolDeletion(count: names.count, isDryRun: true)) }
    try confirm("Delete \(names.count) records?", isAnswered: yes)
    var result = ToolDeletion(count: 0, isDryRun: false)
    var rest = names[...]
    while !rest.isEmpty {
      let operations = rest.prefix(200).map { RecordOperation(.forceDelete, recordName: $0) }
      rest = rest.dropFirst(200)
      let response = try await database.send(
        ModifyRecords.self,
        .init(zoneID: database.zoneID, operations: operations, isAtomic: false),
        isIdempotent: true)
      for item in response.records {
        if case .failure(let failure) = item {
          result.errors.append(
            "\(failure.recordName): \(failure.error.code.rawValue): \(failure.error.reason)")
        } else {
          result.count += 1
        }
      }
    }
    say(json: result)
    if !result.errors.isEmpty { throw ExitCode.failure }
  }

  /// Returns the names of all records that match the query. Reads the records page by page.
  private func names() async throws -> [String] {
    var names: [String] = []
    var marker: String?
    repeat {
      let response = try await database.send(
        QueryRecords.self,
        .init(
          query: try query.query(), zoneID: database.zoneID, resultsLimit: 200,
          continuationMarker: marker, selection: FieldSelection(desiredKeys: [])),
        isIdempotent: true)
      names += try response.records.map { try CloudKitToolDatabase.record(of: $0).recordName }
      marker = response.continuationMarker
    } while marker != nil
    return names
  }
}
