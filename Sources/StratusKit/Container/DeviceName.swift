import Foundation
import StratusTransport
import Synchronization

/// How a container's device is called: by a passing name, until one that lasts is wanted.
///
/// NB: not from the start, so that programs that neither listen nor subscribe leave nothing behind.
/// Where one has listened before, the name is taken with the first request: what is changed under a
/// passing name would be told to this device as another's change.
final class DeviceName: Sendable {
  private enum Standing {
    /// - Parameter isNew: nobody has looked for an earlier run's name.
    case passing(isNew: Bool)
    /// Kept for as long as the container is used; nil: the passing name has to do.
    case settled(DeviceIdentity?)
  }

  private let connection: Connection
  private let stateFolder: URL?
  private let standing = Mutex(Standing.passing(isNew: true))

  init(of connection: Connection, stateFolder: URL?) {
    self.connection = connection
    self.stateFolder = stateFolder
  }

  /// Takes a name that lasts, once.
  @Sendable func settle() {
    standing.withLock { standing in
      if case .passing = standing { standing = settled }
    }
  }

  /// Takes a name that lasts where an earlier run has left one, before the first request.
  func settleIfKnown() {
    standing.withLock { standing in
      guard case .passing(isNew: true) = standing else { return }
      let address = connection.address
      let isKnown =
        stateFolder.map { folder in
          DeviceIdentity.isKnown(
            in: folder, container: address.container, environment: address.environment)
        } ?? false
      standing = isKnown ? settled : .passing(isNew: false)
    }
  }

  private var settled: Standing {
    let address = connection.address
    let identity = stateFolder.flatMap { folder in
      DeviceIdentity(
        in: folder, container: address.container, environment: address.environment,
        newID: Live.newID)
    }
    if let identity { connection.identify(as: identity.id) }
    return .settled(identity)
  }
}
