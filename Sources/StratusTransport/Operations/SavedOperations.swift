public import Foundation
import StratusWire

/// The operations of one container and environment that outlast the process, in the state folder's
/// `operations`: a folder each.
public struct SavedOperations: Sendable {
  /// Seconds after which a finished operation is forgotten (semantics §24).
  static let finishedSecondsMax: Double = 86_400
  /// Seconds after which one is forgotten that nobody has gone on with. Choice: an app that was
  /// removed leaves nothing behind for ever.
  static let abandonedSecondsMax: Double = 30 * 86_400

  private let folder: URL

  /// - Parameters:
  ///   - stateFolder: made when it is needed.
  ///   - address: only its container and environment matter.
  public init(in stateFolder: URL, of address: Connection.Address) {
    folder = stateFolder.appendingPathComponent("operations", isDirectory: true)
      .appendingPathComponent(
        "\(Connection.escaped(address.container)).\(address.environment.rawValue)",
        isDirectory: true)
  }

  /// The IDs of those that can be gone on with, those that run at the moment included.
  ///
  /// What is past its time is forgotten.
  /// - Parameter now: seconds since 1970 UTC.
  public func ids(now: Double) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { name in
      guard let place = place(of: name) else { return false }
      if isOver(place, now: now) {
        SavedOperation(at: place, id: name, makesFolder: false)?.forget()
        return false
      }
      return SavedOperation.isWhole(place)
    }.sorted()
  }

  /// Makes a place for a new operation, and takes it.
  ///
  /// - Returns: nil where the folder cannot be used.
  public func make(id: String) -> SavedOperation? {
    guard let place = place(of: id) else { return nil }
    return SavedOperation(at: place, id: id, makesFolder: true)
  }

  /// Takes an operation that was saved.
  ///
  /// - Returns: nil where there is none, or another process, or another part of this one, has it.
  public func open(id: String, now: Double) -> SavedOperation? {
    guard let place = place(of: id), !isOver(place, now: now) else { return nil }
    guard let operation = SavedOperation(at: place, id: id, makesFolder: false),
      operation.request != nil
    else { return nil }
    return operation
  }

  /// Whose one of them is; see ``SavedOperation/userRecordName``.
  public func userRecordName(of id: String) -> String? {
    place(of: id).flatMap(SavedOperation.userRecordName(at:))
  }

  /// What one of them is to do, whoever has it; see ``SavedOperation/request``.
  public func request(of id: String) -> Data? { place(of: id).flatMap(SavedOperation.request(at:)) }

  /// NB: an ID that an app hands in must not lead out of the folder.
  private func place(of id: String) -> URL? {
    let isPlain = id.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
      default: false
      }
    }
    guard isPlain, (1...64).contains(id.utf8.count) else { return nil }
    return folder.appendingPathComponent(id, isDirectory: true)
  }

  private func isOver(_ place: URL, now: Double) -> Bool {
    func age(_ file: String) -> Double? {
      let path = place.appendingPathComponent(file).path
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return (attributes?[.modificationDate] as? Date).map { now - $0.timeIntervalSince1970 }
    }
    if let age = age(SavedOperation.finishedName) { return age > Self.finishedSecondsMax }
    return (age("") ?? 0) > Self.abandonedSecondsMax
  }
}
