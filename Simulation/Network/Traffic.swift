/// The messages in transit, and the devices that do not know the result of one of their writes.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class Traffic: @unchecked Sendable {
  private var epoch = 0
  private var underWay: [Int: Int] = [:]
  private var unsure: Set<String> = []

  /// Counts a message as in transit until it has arrived.
  ///
  /// - Returns: a function that marks the message as arrived.
  func begin() -> () -> Void {
    let epoch = epoch
    underWay[epoch, default: 0] += 1
    return { self.underWay[epoch, default: 0] -= 1 }
  }

  /// Waits until every message that is in transit now has arrived and has been handled.
  func settle() async {
    let last = epoch
    epoch += 1
    while underWay.contains(where: { $0.key <= last && $0.value > 0 }) {
      try? await Loop.shared.sleep(0.5)
    }
    try? await Loop.shared.sleep(1)
  }

  /// Remembers that the server may have carried out a write of a device, perhaps for the second
  /// time, and that the device does not know the result.
  ///
  /// The server does not notify a device of its own changes, so the device finds out the result of
  /// this write only when it fetches.
  func noteLostWriteAnswer(of device: String) { unsure.insert(device) }

  /// Removes a device that begins to fetch from the devices that do not know the result of a write.
  func noteFetch(of device: String) { unsure.remove(device) }

  func isUnsure(_ device: String) -> Bool { unsure.contains(device) }
}
