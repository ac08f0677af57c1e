import Foundation
import StratusTesting
import StratusTransport
import StratusWire

/// The state that the owner and the guests of a sharing simulation share.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class SharingHousehold: @unchecked Sendable {
  let cloud: Cloud
  let truth: SharingTruth
  let mishaps: Mishaps
  let ledger: Ledger
  let traffic = Traffic()
  /// The number of virtual seconds in which people edit and mishaps happen.
  let seconds: Double
  private var chance: SeededChance
  private var lastNumber = 0
  var isEditing = true
  /// Whether the owner does nothing more, and guests only accept and leave shares. This checks that
  /// devices learn of an acceptance or a departure even if no record changes afterwards.
  var isOwnerAway = false
  var isCalm = false
  /// The short GUIDs in the share URLs that the owner has sent to the guests.
  var shortGUIDs: Set<String> = []
  /// The guests whom the owner invites.
  private(set) var invitedGuests = SharingTruth.guests
  /// Whether the owner has excluded a guest for the rest of the simulation. The owner then makes no
  /// share public.
  var hasExcludedGuest: Bool { invitedGuests.count < SharingTruth.guests.count }
  /// The sealed values, or nil in seeds without encrypted values.
  var seals: SharingSeals?
  /// The folder with the key files of the people.
  private let keysFolder = FileManager.default.temporaryDirectory
    .appending(path: "stratus-simulation-\(UUID().uuidString)")

  init(
    cloud: Cloud, truth: SharingTruth, mishaps: Mishaps, ledger: Ledger, seconds: Double,
    chance: SeededChance
  ) {
    self.cloud = cloud
    self.truth = truth
    self.mishaps = mishaps
    self.ledger = ledger
    self.seconds = seconds
    self.chance = chance
  }

  func percent(_ likelihood: Int) -> Bool { chance.percent(likelihood) }
  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &chance) }
  func pauseSeconds(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &chance)
  }

  func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
  }

  /// The file with the account key of a person.
  func keysFile(of user: String) -> URL { keysFolder.appending(path: "\(user).json") }

  func removeKeys() { try? FileManager.default.removeItem(at: keysFolder) }

  /// Picks one element. The choice does not depend on the order of the elements.
  func one(of elements: some Collection<String>) -> String? {
    if elements.isEmpty { return nil }
    return elements.sorted()[number(0...elements.count - 1)]
  }

  /// Excludes one guest for the rest of the simulation. The guest may not open any value that is
  /// sealed after the owner has removed the guest from the shares.
  func excludeGuest() {
    if hasExcludedGuest { return }
    invitedGuests.remove(at: number(0...invitedGuests.count - 1))
    ledger.saw("exclusion of a guest")
  }

  /// Returns a new text for a record.
  func newText(of name: String) -> String {
    lastNumber += 1
    return SharingTruth.canary + name + "-\(lastNumber)"
  }

  /// Returns a network that carries the requests of a device.
  ///
  /// - Parameter guest: the user name of a guest, or nil for other users.
  func network(of device: String, _ life: Life, guest: String?) -> Network {
    Network(
      cloud: cloud, mishaps: mishaps, traffic: traffic, life: life, device: device, guest: guest)
  }

  /// Returns a connection that sends the requests of a device directly.
  func connection(of device: String, user: String, _ life: Life) -> Connection {
    Connection(
      to: Connection.Address(
        url: "http://stratus.simulation", container: Cloud.container, environment: .development,
        deviceID: device),
      apiToken: nil, webAuthToken: user,
      exchange: network(
        of: device, life, guest: user == SharingTruth.owner ? nil : user),
      timing: Loop.shared.timing)
  }
}
