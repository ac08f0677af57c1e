import Foundation
import StratusTransport
import Synchronization

/// The device name with which a container sends its requests. The name is temporary until a lasting
/// name is needed.
///
/// NB: the name is temporary at first, so that programs that neither listen nor subscribe leave no
/// files behind. If an earlier run of the same program has left a lasting name, even the first
/// request uses that name. Otherwise this device would be notified of its own changes, which it
/// made under the temporary name. The name of another program is never used, because the server
/// would then not notify that program of this program's changes.
final class DeviceName: Sendable {
  private enum Standing {
    /// The name is temporary.
    ///
    /// - Parameter isNew: true until the name of an earlier run has been searched for.
    case passing(isNew: Bool)
    /// The name no longer changes. The identity is nil if no lasting name is available; the
    /// temporary name then stays.
    case settled(DeviceIdentity?)
  }

  private let connection: Connection
  private let stateFolder: URL?
  private let program: String
  private let standing = Mutex(Standing.passing(isNew: true))

  /// - Parameter program: the name of this process's program.
  init(of connection: Connection, stateFolder: URL?, program: String) {
    self.connection = connection
    self.stateFolder = stateFolder
    self.program = program
  }

  /// Replaces the temporary name by a lasting name. Only the first call has an effect.
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

  /// Takes a lasting name before the first request if an earlier run of the program has left a
  /// name.
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
