import Foundation
import StratusTransport
import Synchronization

/// How a container's device is called: by a passing name, until one that lasts is wanted.
///
/// NB: not from the start, so that programs that neither listen nor subscribe leave nothing behind.
final class DeviceName: Sendable {
  private enum Standing {
    case passing
    /// Kept for as long as the container is used; nil: the passing name has to do.
    case settled(DeviceIdentity?)
  }

  private let connection: Connection
  private let stateFolder: URL?
  private let standing = Mutex(Standing.passing)

  init(of connection: Connection, stateFolder: URL?) {
    self.connection = connection
    self.stateFolder = stateFolder
  }

  /// Takes a name that lasts, once.
  @Sendable func settle() {
    standing.withLock { standing in
      guard case .passing = standing else { return }
      let identity = stateFolder.flatMap { folder in
        DeviceIdentity(
          in: folder, container: connection.address.container,
          environment: connection.address.environment, newID: Live.newID)
      }
      if let identity { connection.identify(as: identity.id) }
      standing = .settled(identity)
    }
  }
}
