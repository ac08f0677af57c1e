public import Foundation
import StratusWire

/// The results of the latest backups, in a file of the data folder.
public struct BackupHistory: Sendable {
  private let file: URL

  public init(of data: URL) { file = data.appendingPathComponent(BackupRecord.name) }

  /// The results, which are empty if no backup was made.
  var record: BackupRecord {
    guard let bytes = FileManager.default.contents(atPath: file.path) else {
      return BackupRecord()
    }
    return (try? BackupRecord(jsonBytes: Array(bytes))) ?? BackupRecord()
  }

  /// Notes a complete backup. Nothing is noted if the data folder cannot be written to.
  ///
  /// - Parameter everyHours: the number of hours between two backups that the server itself makes,
  ///   or nil to keep the noted number.
  public func note(_ folder: URL, everyHours: Int64? = nil) {
    var record = record
    record.folder = folder.standardizedFileURL.path
    record.begunAt = (try? Backup.manifest(of: folder))?.begunAt
    record.failedAt = nil
    record.everyHours = everyHours ?? record.everyHours
    try? OwnerFile.write(record.jsonBytes, to: file)
  }

  /// Notes that a backup failed.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func noteFailure(at time: Int64, everyHours: Int64) {
    var record = record
    record.failedAt = time
    record.everyHours = everyHours
    try? OwnerFile.write(record.jsonBytes, to: file)
  }

  /// Notes the number of hours between two backups that the server itself makes, or nil if it makes
  /// none.
  func note(everyHours: Int64?) {
    var record = record
    if record.everyHours == everyHours { return }
    record.everyHours = everyHours
    try? OwnerFile.write(record.jsonBytes, to: file)
  }
}
