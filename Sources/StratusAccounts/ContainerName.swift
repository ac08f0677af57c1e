import StratusDomain
import StratusWire

/// The rules for the names of containers.
enum ContainerName {
  private static let lengthMax = 200

  /// Checks a container's name.
  ///
  /// - Throws: `BAD_REQUEST` unless the name is `iCloud.` followed by letters, digits, dots,
  ///   hyphens and underscores, and is not too long.
  static func check(_ name: String) throws(ServerError) {
    let isLegal = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard name.hasPrefix("iCloud."), name.utf8.count > 7, isLegal, name.utf8.count <= lengthMax
    else {
      throw .badRequest(Reason.containerNameIllegal)
    }
  }
}
