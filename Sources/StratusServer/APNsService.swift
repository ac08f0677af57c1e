public import Foundation
import Logging
import ServiceLifecycle
import StratusDomain
public import StratusPush
import StratusSQLite
import Synchronization

/// The settings with which a server uses Apple's push service.
public struct APNsAccess: Sendable {
  public var key: APNsKey
  /// The file of the key.
  let keyFile: URL
  /// The app's bundle ID.
  public var topic: String
  /// The hosts of Apple's push service, or the hosts that replace it in a test.
  public var hosts = APNsHosts()
  /// The only trusted certificate, for tests, or nil to trust the system's certificates.
  public var trustedCertificatePEM: String?

  /// - Parameters:
  ///   - keyFile: the `.p8` file from Apple's developer site.
  ///   - keyID: ten letters and digits. The `teamID` has the same format.
  /// - Throws: an error whose text is a sentence for the operator.
  public init(keyFile: URL, keyID: String, teamID: String, topic: String) throws {
    let pem: String
    do { pem = try String(contentsOf: keyFile, encoding: .utf8) } catch {
      throw APNsKeyFailure("the APNs key \(keyFile.path) cannot be read")
    }
    self.keyFile = keyFile
    key = try APNsKey(pem: pem, keyID: keyID, teamID: teamID)
    self.topic = topic
  }
}

/// Sends notifications to devices through Apple's push service while the server runs.
///
/// The service sends after each signal. It also checks the stores at intervals, because a crash or
/// a full buffer may lose a signal, and because the wait after a failure ends without a signal.
struct APNsService: ServiceLifecycle.Service {
  let access: APNsAccess
  let stores: any OpenStoreCatalog
  /// Opens all existing stores. A device that uses Apple's push service may send no request for a
  /// long time, so no request would open its store.
  let openAll: @Sendable () async -> Void
  let authentication: any Authentication
  /// The signals that queues have grown, or that older notifications wait for a device.
  let queues: any Signals
  /// Ensures that only one process sends the notifications of a store.
  let locks: any WorkLocks
  let live: Live
  let logger: Logger
  /// The time between two checks of the stores.
  var pause = Duration.seconds(1)

  func run() async throws {
    let now = live.ambient.now
    let client = try APNsClient(
      key: access.key, topic: access.topic, hosts: access.hosts,
      trustedCertificatePEM: access.trustedCertificatePEM, now: now)
    let leases = PushLeases(locks: locks, logger: logger)
    let channel = APNsChannel(
      sender: client,
      settings: APNsChannel.Settings(
        now: now, chance: live.chance, report: { [logger] in logger.error("\($0)") }),
      queues: { [stores, authentication] in
        var queues: [StoreAddress: any APNsQueue] = [:]
        for (address, store) in stores.openStoresByAddress where leases.has(address) {
          queues[address] = EnabledUsersQueue(
            queue: StoreAPNsQueue(store, now: now), container: address.container,
            authentication: authentication)
        }
        return queues
      })
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await channel.run() }
        group.addTask {
          for await signal in queues.received {
            await leases.renew(signal.address)
            if let device = signal.device {
              channel.signal(device, at: signal.address)
            } else {
              channel.signal(at: signal.address)
            }
          }
        }
        group.addTask { await openAll() }
        group.addTask {
          while !Task.isCancelled {
            for address in stores.openStoresByAddress.keys { await leases.renew(address) }
            channel.signal()
            try? await Task.sleep(for: pause)
          }
        }
      }
    }
    await client.close()
  }
}

/// The stores for which this process sends notifications.
private final class PushLeases: Sendable {
  private let locks: any WorkLocks
  private let logger: Logger
  private let addresses = Mutex<Set<StoreAddress>>([])

  init(locks: any WorkLocks, logger: Logger) {
    self.locks = locks
    self.logger = logger
  }

  func has(_ address: StoreAddress) -> Bool { addresses.withLock { $0.contains(address) } }

  func renew(_ address: StoreAddress) async {
    var isHeld = false
    do throws(ServerError) { isHeld = try await locks.lease(.push, at: address) } catch {
      logger.error(
        """
        whether to send for \(address.container) (\(address.environment)) is not known: \
        \(error.reason) \(error.facts)
        """)
    }
    addresses.withLock {
      if isHeld { $0.insert(address) } else { $0.remove(address) }
    }
  }
}
