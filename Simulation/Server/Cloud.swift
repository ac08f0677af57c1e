import Logging
import StratusDomain
import StratusHTTP
import StratusSQLite
import StratusTesting
import StratusWire

/// The server side of a simulation: a disk that survives crashes, and the server processes that use
/// the disk one after the other.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Cloud: @unchecked Sendable {
  static let container = "iCloud.org.example"
  /// The household's account.
  static let user = "_00000000000000000000000000000a11"
  /// The account of another user. In a simulation of sharing, this user is the first guest.
  static let otherUser = "_00000000000000000000000000000b0b"
  static let address = StoreAddress(container: container, environment: .development)

  let disk: MemoryStores
  /// The records that guests may see, or nil in a simulation without guests.
  let truth: SharingTruth?
  private let mishaps: Mishaps
  private let chance: ChanceBox
  /// The running server process, or nil if there is none.
  private(set) var process: ServerProcess?
  private var backup: MemoryBackup?
  /// The first answer that reported a fault of the server itself.
  private(set) var fault: String?

  init(mishaps: Mishaps, chance: SeededChance, truth: SharingTruth? = nil) {
    self.truth = truth
    let box = ChanceBox(chance)
    self.chance = box
    self.mishaps = mishaps
    disk = MemoryStores(
      makeEpoch: { Int64(truncatingIfNeeded: box.next()) },
      now: { Int64(1_700_000_000_000 + Loop.shared.now * 1_000) })
  }

  /// Starts a server process that uses the data on disk.
  func start() {
    process?.life.end()
    let life = Life()
    let fresh = ServerProcess(
      stores: MortalStores(disk: disk, life: life, mishaps: mishaps, truth: truth), life: life,
      ambient: Ambient(
        now: { Int64(1_700_000_000_000 + Loop.shared.now * 1_000) },
        makeUUID: { [chance] in chance.makeUUID() }),
      mishaps: mishaps)
    process = fresh
    // NB: the server is restarted in a separate task, because the crash may happen in a call that
    // never continues.
    life.atEnd { [weak self] in self?.restartSoon(after: fresh) }
    fresh.start()
  }

  /// Ends the server permanently.
  func stop() {
    isStopped = true
    process?.life.end()
    process = nil
    disk.close()
  }

  /// Copies the data on disk.
  func makeBackup() { backup = try? disk.backup() }

  /// Restores the last copy. The server process is stopped first, as an operator would do.
  ///
  /// - Returns: false if there is no copy.
  func restore() -> Bool {
    guard let backup else { return false }
    process?.life.end()
    do throws(ServerError) { try disk.restore(backup) } catch { fault = fault ?? error.reason }
    return true
  }

  /// Makes every change token expire without losing data.
  func expireTokens() {
    process?.life.end()
    do throws(ServerError) { try disk.restore(try disk.backup()) } catch {
      fault = fault ?? error.reason
    }
  }

  /// Returns a user's data on disk, read directly from the store and not by requests to the server.
  func contents(of user: String) async -> Contents {
    do throws(ServerError) {
      return try await disk.store(at: Self.address).read { (store) throws(ServerError) in
        try Contents(of: user, in: store)
      }
    } catch {
      fault = fault ?? error.reason
      return Contents()
    }
  }

  func note(serverFault text: String) { if !text.contains("crashed") { fault = fault ?? text } }

  private var isStopped = false

  private func restartSoon(after dead: ServerProcess) {
    if isStopped { return }
    Loop.shared.after(Double(chance.next() % 3_000) / 1_000) { [weak self] in
      guard let self, !isStopped, process === dead else { return }
      start()
    }
  }
}

/// A source of random numbers that several parts share.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class ChanceBox: @unchecked Sendable {
  private var chance: SeededChance

  init(_ chance: SeededChance) { self.chance = chance }

  func next() -> UInt64 { chance.next() }

  func makeUUID() -> String {
    let digits = String(next(), radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
