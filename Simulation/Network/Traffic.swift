/// What is on its way, and which devices do not know what became of something they sent.
///
/// NB: unchecked; the loop has one thread.
final class Traffic: @unchecked Sendable {
  private var epoch = 0
  private var underWay: [Int: Int] = [:]
  private var unsure: Set<String> = []

  /// Counts a message until it has arrived.
  ///
  /// - Returns: says that it has.
  func begin() -> () -> Void {
    let epoch = epoch
    underWay[epoch, default: 0] += 1
    return { self.underWay[epoch, default: 0] -= 1 }
  }

  /// Waits until all has arrived, and been carried out, that is on its way now.
  func settle() async {
    let last = epoch
    epoch += 1
    while underWay.contains(where: { $0.key <= last && $0.value > 0 }) {
      try? await Loop.shared.sleep(0.5)
    }
    try? await Loop.shared.sleep(1)
  }

  /// A write of a device's was carried out, perhaps for the second time, and it does not know.
  ///
  /// The server does not tell a device of its own changes, so it learns what became of this one
  /// only when it fetches.
  func noteUnheardWrite(of device: String) { unsure.insert(device) }

  /// A device begins to fetch.
  func noteFetch(of device: String) { unsure.remove(device) }

  func isUnsure(_ device: String) -> Bool { unsure.contains(device) }
}
