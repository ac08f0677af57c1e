import ArgumentParser
import Foundation
import StratusTransport
import StratusWire

/// The options that contain the fields of a record.
struct CloudKitToolFields: ParsableArguments {
  @Option(help: "A file with the fields as JSON.")
  var fieldsFile: String?

  @Option(help: #"The fields as JSON: {"title": {"type": "stringType", "value": "Milk"}}."#)
  var fieldsJSON: String?

  @Flag(help: "Read the fields from standard input.")
  var fieldsStdin = false

  @Option(parsing: .upToNextOption, help: "The files of asset fields, each as KEY=path.")
  var assetFiles: [String] = []

  /// Uploads the files of asset fields, and returns the fields as a request contains them.
  func read(
    recordName: String?, recordType: String, in database: CloudKitToolDatabase
  ) async throws -> (recordName: String?, fields: JSONView) {
    var values: [(key: String, value: FieldValue)] = []
    var recordName = recordName
    let paths = try self.paths()
    for (name, field) in try parsed() {
      switch field {
      case .value(let value): values.append((name, value))
      case .files(let keys, let isList):
        var assets: [FieldValue] = []
        for key in keys {
          guard let path = paths[key] else {
            throw Failure("the file of '\(name)' is missing; add --asset-files \(key)=PATH")
          }
          let (asset, owner) = try await database.upload(
            path,
            as: AssetFieldID(
              recordName: recordName, recordType: recordType, fieldName: name))
          recordName = owner
          assets.append(.asset(asset))
        }
        if isList {
          values.append((name, .list(.asset, assets)))
        } else if let asset = assets.first {
          values.append((name, asset))
        }
      }
    }
    return (recordName, try JSONView(parsing: FieldsJSON(values).text))
  }

  private func parsed() throws -> [(name: String, field: ToolField)] {
    let sources = [fieldsFile != nil, fieldsJSON != nil, fieldsStdin].filter { $0 }.count
    guard sources <= 1 else {
      throw Failure("give the fields once: --fields-file, --fields-json or --fields-stdin")
    }
    let bytes: [UInt8]
    if let fieldsFile {
      guard let data = FileManager.default.contents(atPath: fieldsFile) else {
        throw Failure("there is no file '\(fieldsFile)'; give another --fields-file")
      }
      bytes = Array(data)
    } else if let fieldsJSON {
      bytes = Array(fieldsJSON.utf8)
    } else if fieldsStdin {
      bytes = Array(FileHandle.standardInput.readDataToEndOfFile())
    } else {
      return []
    }
    do throws(WireError) {
      return try ToolField.fields(
        json: try JSONView(parsing: bytes), time: CloudKitToolTime.timestamp)
    } catch {
      throw Failure("the fields cannot be read: \(error.reason)")
    }
  }

  private func paths() throws -> [String: String] {
    var paths: [String: String] = [:]
    for file in assetFiles {
      let parts = file.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw Failure("'\(file)' must be KEY=path, with the key that the field names")
      }
      paths[String(parts[0])] = String(parts[1])
    }
    return paths
  }
}

extension CloudKitToolDatabase {
  /// Uploads a file.
  ///
  /// - Returns: the value of the field, and the name that the record must have.
  fileprivate func upload(
    _ path: String, as field: AssetFieldID
  ) async throws -> (Asset, String) {
    let response = try await send(
      UploadAssets.self, .init(zoneID: zoneID, fields: [field]), isIdempotent: true)
    guard let target = response.targets.first else {
      throw Failure("the server returned no upload URL for the file '\(path)'; try again")
    }
    let file: OutgoingFile
    do { file = try OutgoingFile(URL(fileURLWithPath: path)) } catch {
      throw Failure("the file '\(path)' cannot be read; name another in --asset-files")
    }
    let connection = try open()
    do {
      let asset = try await connection.upload(
        file, to: target.url, options: .init(), progress: { _ in })
      return (asset, target.recordName)
    } catch {
      throw Failure("the file '\(path)' cannot be uploaded; try again")
    }
  }

  /// Saves a record and prints it.
  fileprivate func save(_ operation: RecordOperation) async throws {
    let response = try await send(
      ModifyRecords.self, .init(zoneID: zoneID, operations: [operation]), isIdempotent: false)
    say(json: ToolRecord(try Self.record(of: response.records.first)))
  }

  static func record(of item: RecordItem?) throws -> RecordDictionary {
    switch item {
    case .record(let record): return record
    case .failure(let failure):
      throw Failure("\(failure.error.code.rawValue): \(failure.error.reason)")
    case .deleted, nil: throw Failure("the server answered without the record; try again")
    }
  }
}

/// `create-record`.
struct CreateRecordVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create-record", abstract: "Create a record and print it.")

  @OptionGroup var database: CloudKitToolDatabase
  @OptionGroup var fields: CloudKitToolFields

  @Option(help: "The record type.")
  var recordType: String

  @Option(help: "The record's name. Default: a new UUID.")
  var recordName: String?

  func run() async throws {
    let (name, values) = try await fields.read(
      recordName: recordName, recordType: recordType, in: database)
    try await database.save(
      RecordOperation(.create, recordName: name, recordType: recordType, fields: values))
  }
}

/// `update-record`.
struct UpdateRecordVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update-record",
    abstract: "Change fields of a record and print the record. Other fields are kept.")

  @OptionGroup var database: CloudKitToolDatabase
  @OptionGroup var fields: CloudKitToolFields

  @Option(help: "The record type.")
  var recordType: String

  @Option(help: "The record's name.")
  var recordName: String

  @Option(help: "The change tag that the record must have. Default: any change tag.")
  var recordChangeTag: String?

  func run() async throws {
    let (_, values) = try await fields.read(
      recordName: recordName, recordType: recordType, in: database)
    try await database.save(
      RecordOperation(
        recordChangeTag == nil ? .forceUpdate : .update, recordName: recordName,
        recordType: recordType, recordChangeTag: recordChangeTag, fields: values))
  }
}

/// `fetch-record`.
struct FetchRecordVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch-record", abstract: "Print a record.")

  @OptionGroup var database: CloudKitToolDatabase

  @Option(help: "The record's name.")
  var recordName: String

  func run() async throws {
    let response = try await database.send(
      LookupRecords.self, .init(zoneID: database.zoneID, recordNames: [recordName]),
      isIdempotent: true)
    say(json: ToolRecord(try CloudKitToolDatabase.record(of: response.records.first)))
  }
}

/// `delete-record`.
struct DeleteRecordVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-record", abstract: "Delete a record.")

  @OptionGroup var database: CloudKitToolDatabase

  @Option(help: "The record's name.")
  var recordName: String

  @Flag(name: [.short, .long], help: "Delete without confirmation.")
  var yes = false

  func run() async throws {
    try confirm("Delete the record '\(recordName)'?", isAnswered: yes)
    let response = try await database.send(
      ModifyRecords.self,
      .init(
        zoneID: database.zoneID,
        operations: [RecordOperation(.delete, recordName: recordName)]), isIdempotent: false)
    if case .failure(let failure) = response.records.first {
      throw Failure("\(failure.error.code.rawValue): \(failure.error.reason)")
    }
  }
}

/// Asks a question on standard error, and reads the answer.
///
/// - Throws: ``Failure`` unless the answer is yes.
func confirm(_ question: String, isAnswered: Bool) throws {
  if isAnswered { return }
  complain("\(question) [y/N]")
  let answer = readLine()?.lowercased() ?? ""
  guard answer == "y" || answer == "yes" else {
    throw Failure("nothing was deleted; answer with y, or give --yes")
  }
}
