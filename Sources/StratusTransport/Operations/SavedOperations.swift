public import Foundation
import StratusWire

/// The saved operations of one container and environment. Each operation has its own folder in the
/// subfolder `operations` of the state folder.
public struct SavedOperations: Sendable {
  /// The number of seconds after which a finished operation is deleted.
  static let finishedSecondsMax: Double = 86_400
  /// The number of seconds after which an operation that is never resumed is deleted. Choice: an
  /// app that was removed must not leave files behind permanently.
  static let abandonedSecondsMax: Double = 30 * 86_400

  private let folder: URL

  /// - Parameters:
  ///   - stateFolder: the state folder, which is created when it is needed.
  ///   - address: the container and the environment of the operations. Its other parts are ignored.
  public init(in stateFolder: URL, of address: Connection.Address) {
    folder = stateFolder.appendingPathComponent("operations", isDirectory: true)
      .appendingPathComponent(
        "\(Connection.escaped(address.container)).\(address.environment.rawValue)",
        isDirectory: true)
  }

  /// Returns the IDs of the operations that can be resumed, including those that are running now.
  ///
  /// Expired operations are deleted.
  /// - Parameter now: the present time, in seconds since 1970 UTC.
  public func ids(now: Double) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      guard let location = location(of: name) else { return false }
      if isOver(location, now: now) {
        SavedOperation(at: location, id: name, makesFolder: false)?.forget()
        return false
      }
      return SavedOperation.isWhole(location)
    }.sorted()
  }

  /// Creates and locks the folder of a new operation.
  ///
  /// - Returns: nil if the folder cannot be used.
  public func make(id: String) -> SavedOperation? {
    guard let location = location(of: id) else { return nil }
    return SavedOperation(at: location, id: id, makesFolder: true)
  }

  /// Opens and locks a saved operation.
  ///
  /// - Returns: nil if there is no such operation, or if another process or other code of this
  ///   process holds it.
  public func open(id: String, now: Double) -> SavedOperation? {
    guard let location = location(of: id), !isOver(location, now: now) else { return nil }
    guard let operation = SavedOperation(at: location, id: id, makesFolder: false),
      operation.request != nil
    else { return nil }
    return operation
  }

  /// Returns the user of a saved operation. See ``SavedOperation/userRecordName``.
  public func userRecordName(of id: String) -> String? {
    location(of: id).flatMap(SavedOperation.userRecordName(at:))
  }

  /// Returns the request of a saved operation, even while the operation is locked. See
  /// ``SavedOperation/request``.
  public func request(of id: String) -> Data? {
    location(of: id).flatMap(SavedOperation.request(at:))
  }

  /// Returns the folder of an operation.
  ///
  /// NB: an ID comes from the app, and must not lead out of the folder.
  private func location(of id: String) -> URL? {
    let isPlain = id.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
      default: false
      }
    }
    guard isPlain, (1...64).contains(id.utf8.count) else { return nil }
    return folder.appendingPathComponent(id, isDirectory: true)
  }

  private func isOver(_ location: URL, now: Double) -> Bool {
    func age(_ file: String) -> Double? {
      let path = location.appendingPathComponent(file).path
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.modificationDate] as? Date).map { now - $0.timeIntervalSince1970 }
    }
    if let age = age(SavedOperation.finishedName) { return age > Self.finishedSecondsMax }
    return (age("") ?? 0) > Self.abandonedSecondsMax
  }
}
