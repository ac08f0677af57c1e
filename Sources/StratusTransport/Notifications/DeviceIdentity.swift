public import Foundation
public import StratusWire

/// The name by which a server knows this device, from one run of a program to the next.
///
/// Names lie in numbered slots, files of the state folder's `devices`, several for each container
/// and environment. A process takes the first that no other holds, by a lock that ends with it: two
/// programs on one machine are two devices, and one that is started again is the device it was.
public final class DeviceIdentity: Sendable {
  /// Slots for one container and environment. More programs at a time than this on one machine get
  /// names that last as long as they do.
  static let slotsMax = 64

  /// The name.
  public let id: String
  private let descriptor: Int32

  /// Whether a program on this machine has had a name in the container and environment before.
  ///
  /// - Parameter folder: the state folder.
  public static func isKnown(
    in folder: URL, container: String, environment: ContainerEnvironment
  ) -> Bool {
    let file = file(of: 0, in: folder, container, environment)
    return FileManager.default.fileExists(atPath: file.path)
  }

  private static func file(
    of slot: Int, in folder: URL, _ container: String, _ environment: ContainerEnvironment
  ) -> URL {
    folder.appendingPathComponent("devices", isDirectory: true)
      .appendingPathComponent(
        "\(Connection.escaped(container)).\(environment.rawValue).\(slot)")
  }

  /// Takes the first free slot.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - newID: makes a name nobody else has, for a slot that is new or damaged.
  /// - Returns: nil where the folder cannot be used, or all slots are taken.
  public init?(
    in folder: URL, container: String, environment: ContainerEnvironment, newID: () -> String
  ) {
    let devices = Self.file(of: 0, in: folder, container, environment).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: devices, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return nil
    }
    for slot in 0..<Self.slotsMax {
      let file = Self.file(of: slot, in: folder, container, environment)
      // NB: a child process that had it would hold the slot for as long as it runs.
      let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
      if Self.lock(descriptor) {
        guard let id = Self.read(descriptor) ?? Self.write(newID(), to: descriptor) else {
          close(descriptor)
          return nil
        }
        self.id = id
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
    return nil
  }

  deinit { close(descriptor) }

  private static func lock(_ descriptor: Int32) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  /// Characters of a name, at most: what the server keeps of one.
  private static let idLengthMax = 64

  /// nil: the slot is new, or somebody has spoilt it.
  private static func read(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: idLengthMax + 2)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 1, count <= idLengthMax + 1, bytes[count - 1] == 0x0A else { return nil }
    let id = bytes[..<(count - 1)]
    let isPlain = id.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain ? String(decoding: id, as: UTF8.self) : nil
  }

  /// nil: it could not be kept.
  private static func write(_ id: String, to descriptor: Int32) -> String? {
    // The line feed comes last, so that half a name is none.
    let bytes = Array((id + "\n").utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
      fsync(descriptor) == 0
    else { return nil }
    return id
  }
}
