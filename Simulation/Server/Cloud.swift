import Logging
import StratusDomain
import StratusHTTP
import StratusSQLite
import StratusTesting
import StratusWire

/// The server side: a disk that stays, and processes that come and go over it.
///
/// NB: unchecked; the loop has one thread.
final class Cloud: @unchecked Sendable {
  static let container = "iCloud.org.example"
  static let user = "_00000000000000000000000000000a11"
  static let address = StoreAddress(container: container, environment: .development)

  let disk: MemoryStores
  private let mishaps: Mishaps
  private let chance: ChanceBox
  /// nil: nothing runs just now.
  private(set) var process: ServerProcess?
  private var backup: MemoryBackup?
  /// The first answer that was the server's own fault.
  private(set) var fault: String?

  init(mishaps: Mishaps, chance: SeededChance) {
    let box = ChanceBox(chance)
    self.chance = box
    self.mishaps = mishaps
    disk = MemoryStores(
      makeEpoch: { Int64(truncatingIfNeeded: box.next()) },
      now: { Int64(1_700_000_000_000 + Loop.shared.now * 1_000) })
  }

  /// Starts a process over what is on disk.
  func start() {
    process?.life.end()
    let life = Life()
    let fresh = ServerProcess(
      stores: MortalStores(disk: disk, life: life, mishaps: mishaps), life: life,
      ambient: Ambient(
        now: { Int64(1_700_000_000_000 + Loop.shared.now * 1_000) },
        makeUUID: { [chance] in chance.makeUUID() }))
    process = fresh
    // NB: by itself, so that a crash in the middle of an await has the server come back.
    life.atEnd { [weak self] in self?.restartSoon(after: fresh) }
    fresh.start()
  }

  /// Ends for good.
  func stop() {
    isStopped = true
    process?.life.end()
    process = nil
    disk.close()
  }

  /// Copies what is on disk.
  func makeBackup() { backup = try? disk.backup() }

  /// Puts the last copy back, as an operator would: the process is stopped for it.
  ///
  /// - Returns: false if there is no copy.
  func restore() -> Bool {
    guard let backup else { return false }
    process?.life.end()
    do throws(ServerError) { try disk.restore(backup) } catch { fault = fault ?? error.reason }
    return true
  }

  /// Makes every change token stale, though nothing is lost.
  func expireTokens() {
    process?.life.end()
    do throws(ServerError) { try disk.restore(try disk.backup()) } catch {
      fault = fault ?? error.reason
    }
  }

  /// What is on disk, read around everything else.
  func contents() async -> Contents {
    do throws(ServerError) {
      return try await disk.store(at: Self.address).read { (store) throws(ServerError) in
        try Contents(of: store)
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

/// Chance that many draw from.
///
/// NB: unchecked; the loop has one thread.
final class ChanceBox: @unchecked Sendable {
  private var chance: SeededChance

  init(_ chance: SeededChance) { self.chance = chance }

  func next() -> UInt64 { chance.next() }

  func makeUUID() -> String {
    let digits = String(next(), radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
