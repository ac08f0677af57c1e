import Synchronization

/// Limits the number of mails that one client address or one account causes. The registry limits
/// the mails to one mailbox, and the mails of the whole server.
final class MailPace: Sendable {
  /// The maximum number of mails of one client address in an hour. Choice: enough for a family or a
  /// small office, which shares one address.
  static let countMax = 10
  private static let hour: Int64 = 3_600_000

  private let countMax: Int
  private let entriesMax: Int
  /// The times of the mails in the last hour, by client address or account.
  private let state = Mutex<[String: [Int64]]>([:])

  /// - Parameter countMax: the maximum number of mails of one client address or account in an hour.
  init(countMax: Int = MailPace.countMax, entriesMax: Int = 50_000) {
    self.countMax = countMax
    self.entriesMax = entriesMax
  }

  /// Counts a mail.
  ///
  /// - Parameter address: the client's IPv4 address or the prefix of its IPv6 address, or the ID of
  ///   an account. All clients with an unknown address share one counter.
  /// - Returns: whether the mail may be sent. Otherwise it is not counted.
  func admit(_ address: String?, now: Int64) -> Bool {
    let address = address ?? ""
    return state.withLock { times in
      func isRecent(_ time: Int64) -> Bool { now - time < Self.hour && time <= now }
      if times[address] == nil, times.count >= entriesMax {
        times = times.filter { $0.value.contains(where: isRecent) }
        guard times.count < entriesMax else { return false }
      }
      let recent = (times[address] ?? []).filter(isRecent)
      guard recent.count < countMax else { return false }
      times[address] = recent + [now]
      return true
    }
  }
}
