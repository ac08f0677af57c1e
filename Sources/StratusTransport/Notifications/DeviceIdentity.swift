public import Foundation
public import StratusWire

/// The name by which a server knows this device, from one run of a program to the next.
///
/// Names lie in numbered slots, files of the state folder's `devices`, several for each container
/// and environment. Each belongs to the program that first took it; a process of that program takes
/// the first that no other holds, by a lock that ends with it. Two processes at a time are two
/// devices, as two programs always are, and one that is started again is the device it was.
public final class DeviceIdentity: Sendable {
  /// Slots for one container and environment. Where all are held, or other programs', names last as
  /// long as the process does.
  static let slotsMax = 64

  /// The name.
  public let id: String
  /// Holds the lock.
  private let slot: DeviceSlot

  private init(_ id: String, _ slot: DeviceSlot) {
    self.id = id
    self.slot = slot
  }

  /// Takes a name that the program had before, and leaves all else alone.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - program: the program of this process, for people and to be compared.
  /// - Returns: nil where it had none, or all are held.
  public static func known(
    to program: String, in folder: URL, container: String, environment: ContainerEnvironment
  ) -> DeviceIdentity? {
    for number in 0..<slotsMax {
      let file = file(of: number, in: folder, container, environment)
      // NB: the others are not even locked: it would keep their own programs out.
      guard DeviceSlot.contents(of: file)?.belongs(to: program) == true,
        let slot = DeviceSlot(taking: file), let contents = slot.contents,
        contents.belongs(to: program)
      else { continue }
      return DeviceIdentity(contents.id, slot)
    }
    return nil
  }

  /// Takes a name that the program had before, else the first that is nobody's, which is the
  /// program's from then on.
  ///
  /// - Parameters:
  ///   - folder: the state folder.
  ///   - program: the program of this process, for people and to be compared.
  ///   - newID: makes a name nobody else has, for a slot that is new or damaged.
  /// - Returns: nil where the folder cannot be used, or no slot is left.
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
