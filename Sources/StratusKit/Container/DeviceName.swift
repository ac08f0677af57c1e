import Foundation
import StratusTransport
import Synchronization

/// How a container's device is called: by a passing name, until one that lasts is wanted.
///
/// NB: not from the start, so that programs that neither listen nor subscribe leave nothing behind.
/// Where the same program has before, its name is taken with the first request: what is changed
/// under a passing name would be told to this device as another's change. Another program's is not:
/// what is changed under that would not be told to who listens there.
final class DeviceName: Sendable {
  private enum Standing {
    /// - Parameter isNew: nobody has looked for an earlier run's name.
    case passing(isNew: Bool)
    /// Kept for as long as the container is used; nil: the passing name has to do.
    case settled(DeviceIdentity?)
  }

  private let connection: Connection
  private let stateFolder: URL?
  private let program: String
  private let standing = Mutex(Standing.passing(isNew: true))

  /// - Parameter program: names the program of this process.
  init(of connection: Connection, stateFolder: URL?, program: String) {
    self.connection = connection
    self.stateFolder = stateFolder
    self.program = program
  }

  /// Takes a name that lasts, once.
  @Sendable func settle() {
    standing.withLock { standing in
      guard case .passing = standing else { return }
      let address = connection.address
      let identity = stateFolder.flatMap { folder in
        DeviceIdentity.taken(
          by: program, in: folder, container: address.container, environment: address.environment,
          newID: Live.newID)
      }
      if let identity { connection.identify(as: identity.id) }
      standing = .settled(identity)
    }
  }

  /// Takes a name that lasts where an earlier run of the program has left one, before the first
  /// request.
  func settleIfKnown() {
    standing.withLock { standing in
      guard case .passing(isNew: true) = standing else { return }
      let address = connection.address
      let identity = stateFolder.flatMap { folder in
        DeviceIdentity.known(
          to: program, in: folder, container: address.container, environment: address.environment)
      }
      guard let identity else {
        standing = .passing(isNew: false)
        return
      }
      connection.identify(as: identity.id)
      standing = .settled(identity)
    }
  }
}
