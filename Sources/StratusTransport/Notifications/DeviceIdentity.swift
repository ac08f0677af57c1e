public import Foundation
public import StratusWire

/// The name by which a server knows this device. It stays the same when a program is restarted.
///
/// Names are stored in numbered slots. A slot is a file in the folder `devices` of the state
/// folder. Each container and environment has several slots. Each slot belongs to the program that
/// took it first. A process takes the first slot of its program that no other process holds. It
/// holds the slot by a file lock, which ends with the process. Two processes that run at the same
/// time are therefore two devices, as are two programs. A restarted process is the same device as
/// before.
public final class DeviceIdentity: Sendable {
  /// The maximum number of slots for one container and environment. If other processes hold all of
  /// them, or they belong to other programs, the device's name lasts only as long as the process.
  static let slotsMax = 64

  /// The name of the device.
  public let id: String
  /// The slot whose lock this process holds.
  private let slot: DeviceSlot

  private init(_ id: String, _ slot: DeviceSlot) {
    self.id = id
    self.slot = slot
  }

  /// Takes a slot that belongs to the program. All other slots stay unchanged.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - program: the name of the program that this process runs.
  /// - Returns: nil if the program has no slot, or if other processes hold all its slots.
  public static func known(
    to program: String, in folder: URL, container: String, environment: ContainerEnvironment
  ) -> DeviceIdentity? {
    for number in 0..<slotsMax {
      let file = file(of: number, in: folder, container, environment)
      // NB: slots of other programs are not even locked, because a lock would keep those programs
      // out.
      guard DeviceSlot.contents(of: file)?.belongs(to: program) == true,
        let slot = DeviceSlot(taking: file), let contents = slot.contents,
        contents.belongs(to: program)
      else { continue }
      return DeviceIdentity(contents.id, slot)
    }
    return nil
  }

  /// Takes a slot that belongs to the program, or else the first free slot that belongs to no
  /// program. That slot then belongs to the program.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - program: the name of the program that this process runs.
  ///   - newID: creates a unique device name for a slot that is new or damaged.
  /// - Returns: nil if the folder cannot be used, or if no slot is left.
  public static func taken(
    by program: String, in folder: URL, container: String, environment: ContainerEnvironment,
    newID: () -> String
  ) -> DeviceIdentity? {
    if let known = known(to: program, in: folder, container: container, environment: environment) {
      return known
    }
    let devices = file(of: 0, in: folder, container, environment).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: devices, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return nil
    }
    for number in 0..<slotsMax {
      let file = file(of: number, in: folder, container, environment)
      if DeviceSlot.contents(of: file)?.program != nil { continue }
      guard let slot = DeviceSlot(taking: file), slot.contents?.program == nil else { continue }
      guard let id = slot.give(to: program, newID: newID) else { return nil }
      return DeviceIdentity(id, slot)
    }
    return nil
  }

  private static func file(
    of slot: Int, in folder: URL, _ container: String, _ environment: ContainerEnvironment
  ) -> URL {
    folder.appendingPathComponent("devices", isDirectory: true)
      .appendingPathComponent(
        "\(Connection.escaped(container)).\(environment.rawValue).\(slot)")
  }
}
