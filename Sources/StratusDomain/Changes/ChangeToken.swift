import StratusWire

/// A place in a history, as clients carry it: opaque to them, checked when it comes back.
///
/// It names the timeline it belongs to (the database's epoch) and the thing whose history it is (a
/// zone's incarnation, or a database), so that a token from before a restore, or of a zone that was
/// deleted and made again, is known to be stale, and never leaves a silent gap.
struct ChangeToken: Sendable, Hashable {
  /// Whose history.
  enum Subject: UInt8, Sendable {
    case zone = 1
    case database = 2
    /// A zone's history read from its end.
    case reversedZone = 3
    /// What happened to a user's notifications.
    case notifications = 4
  }

  var subject: Subject
  var epoch: Int64
  /// The zone's incarnation, or a fingerprint of the database.
  var incarnation: Int64
  /// The reader knows everything up to this change.
  var change: Int64
  /// Reading backwards: the reader has seen the changes after this one, up to ``top``.
  var before: Int64 = 0
  /// Reading backwards: where it began.
  var top: Int64 = 0
  /// A first reading: the newest change when it began. The reader never had what was deleted up to
  /// that change.
  var began: Int64 = 0
  /// Which participation in another user's zone the token belongs to; 0: the reader owns the zone.
  /// A user who is removed and invited again gets a new number, so that old tokens expire.
  var participation: Int64 = 0

  /// Tokens of the zone's owner have version 1, those of participants version 2.
  private static let versions: ClosedRange<UInt8> = 1...2

  /// Padded standard base64, because clients decode and encode it again (web-services §6).
  var text: String {
    var bytes: [UInt8] = [participation == 0 ? 1 : 2, subject.rawValue]
    var numbers = participation == 0 ? [] : [participation]
    numbers += [epoch, incarnation, change]
    if subject == .reversedZone { numbers += [before, top] }
    if began > change { numbers.append(began) }
    for number in numbers {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return Base64.encode(bytes)
  }

  /// - Throws: `BAD_REQUEST` if the text is no token of ours.
  init(text: String) throws(ServerError) {
    guard let bytes = Base64.decode(text), bytes.count >= 26, Self.versions.contains(bytes[0]),
      let subject = Subject(rawValue: bytes[1])
    else { throw .badRequest(Reason.syncTokenInvalid) }
    let isParticipant = bytes[0] == 2
    let first = isParticipant ? 1 : 0
    let count = first + (subject == .reversedZone ? 5 : 3)
    guard bytes.count == 2 + count * 8 || bytes.count == 2 + (count + 1) * 8 else {
      throw .badRequest(Reason.syncTokenInvalid)
    }
    func number(_ index: Int) -> Int64 {
      let start = 2 + index * 8
      return bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
    self.subject = subject
    if isParticipant {
      participation = number(0)
      guard participation != 0 else { throw .badRequest(Reason.syncTokenInvalid) }
    }
    epoch = number(first)
    incarnation = number(first + 1)
    change = number(first + 2)
    if subject == .reversedZone {
      before = number(first + 3)
      top = number(first + 4)
    }
    if bytes.count > 2 + count * 8 { began = number(count) }
  }

  init(subject: Subject, epoch: Int64, incarnation: Int64, change: Int64) {
    self.subject = subject
    self.epoch = epoch
    self.incarnation = incarnation
    self.change = change
  }

  /// - Parameter forgotten: the newest deletion that the history has forgotten; 0: none.
  /// - Throws: `BAD_REQUEST` "sync token expired" unless the token belongs to this timeline,
  ///   incarnation and participation and to a change that has happened, and its bearer misses no
  ///   forgotten deletion.
  func check(
    epoch: Int64, incarnation: Int64, newest: Int64, forgotten: Int64 = 0,
    participation: Int64 = 0
  ) throws(ServerError) {
    guard self.epoch == epoch, self.incarnation == incarnation,
      self.participation == participation
    else {
      throw .badRequest(Reason.syncTokenExpired)
    }
    guard [change, before, top, began].allSatisfy((0...newest).contains) else {
      throw .badRequest(Reason.syncTokenInvalid)
    }
    // NB: not one that was forgotten between two pages of a first reading, if it is older than
    // that: a reader sent back to the beginning for it might never come to the end.
    if max(change, began) < forgotten { throw .badRequest(Reason.syncTokenExpired) }
  }
}

extension DatabaseView {
  /// Tells the databases that callers open apart in tokens (FNV-1a).
  ///
  /// NB: clients keep tokens, so that those of a public or private database stay the hash of the
  /// owner alone.
  var fingerprint: Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in identity.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash)
  }

  /// A text that no other database of the store has. User record names hold no control characters.
  var identity: String {
    switch self {
    case .public: ""
    case .private(let user): user
    case .shared(let user): "shared\u{0}" + user
    }
  }
}
