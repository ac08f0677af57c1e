import StratusWire

/// A position in a history. Clients keep it as an opaque text, and the server validates the text
/// when a client sends it back.
///
/// The token names its timeline (the database's epoch) and the subject of its history (the
/// incarnation of a zone, or a database). The server therefore recognizes a token from before a
/// restore, or of a zone that was deleted and created again, as stale. A stale token never causes a
/// silent gap.
struct ChangeToken: Sendable, Hashable {
  /// The kind of history.
  enum Subject: UInt8, Sendable {
    case zone = 1
    case database = 2
    /// The history of a zone, read from its end.
    case reversedZone = 3
    /// The history of a user's notifications.
    case notifications = 4
  }

  var subject: Subject
  var epoch: Int64
  /// The incarnation of the zone, or a hash that identifies the database.
  var incarnation: Int64
  /// The reader knows all changes up to and including this change number.
  var change: Int64
  /// While reading backwards, the reader knows the changes after this number, up to ``top``.
  var before: Int64 = 0
  /// The change number at which reading backwards began.
  var top: Int64 = 0
  /// The number of the newest change at the time when the reader's first reading began. The reader
  /// never had the records that were deleted up to that change.
  var began: Int64 = 0
  /// The number of the reader's participation in another user's zone, or 0 if the reader owns the
  /// zone. A user who is removed and invited again gets a new number, so that old tokens expire.
  var participation: Int64 = 0
  /// The reader has read the records of all shares that it joined up to this number (see
  /// ``JoinedShare/joined``). Shares with a greater number must still be read from the beginning.
  var joined: Int64 = 0
  /// While the reader catches up on newly joined shares, it knows the changes of their records up
  /// to this number, which may be less than ``change``.
  var caughtUp: Int64 = 0
  /// The greatest ``JoinedShare/joined`` of the shares that ``caughtUp`` applies to, or 0 if there
  /// are none.
  var catchingUpOn: Int64 = 0

  /// Tokens of participants have version 2. All other tokens have version 1.
  private static let versions: ClosedRange<UInt8> = 1...2

  /// The token as padded standard base64, because clients decode and encode it again.
  var text: String {
    var bytes: [UInt8] = [participation == 0 ? 1 : 2, subject.rawValue]
    var numbers = participation == 0 ? [] : [participation, joined, caughtUp, catchingUpOn]
    numbers += [epoch, incarnation, change]
    if subject == .reversedZone { numbers += [before, top] }
    if began > change { numbers.append(began) }
    for number in numbers {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return Base64.encode(bytes)
  }

  /// - Throws: `BAD_REQUEST` if the text is not a valid token.
  init(text: String) throws(ServerError) {
    guard let bytes = Base64.decode(text), bytes.count >= 26, Self.versions.contains(bytes[0]),
      let subject = Subject(rawValue: bytes[1])
    else { throw .badRequest(Reason.syncTokenInvalid) }
    let isParticipant = bytes[0] == 2
    let first = isParticipant ? 4 : 0
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
      (joined, caughtUp, catchingUpOn) = (number(1), number(2), number(3))
    }
    epoch = number(first)
    incarnation = number(first + 1)
    change = number(first + 2)
    if subject == .reversedZone {
      before = number(first + 3)
      top = number(first + 4)
    }
    // A value of `began` that is not greater than `change` has no meaning.
    if bytes.count > 2 + count * 8, number(count) > change { began = number(count) }
  }

  init(subject: Subject, epoch: Int64, incarnation: Int64, change: Int64) {
    self.subject = subject
    self.epoch = epoch
    self.incarnation = incarnation
    self.change = change
  }

  /// Checks that a reader can continue from the token.
  ///
  /// - Parameters:
  ///   - newest: the number of the newest change in the history.
  ///   - forgotten: the change number of the newest deletion that was removed from the history, or
  ///     0 if none was removed.
  /// - Throws: `BAD_REQUEST`. The reason is "sync token expired" if the token belongs to another
  ///   timeline, incarnation or participation, or if the reader would miss a removed deletion. The
  ///   reason is another one if the token contains a change number that is still in the future.
  func check(
    epoch: Int64, incarnation: Int64, newest: Int64, forgotten: Int64 = 0,
    participation: Int64 = 0
  ) throws(ServerError) {
    guard self.epoch == epoch, self.incarnation == incarnation,
      self.participation == participation
    else {
      throw .badRequest(Reason.syncTokenExpired)
    }
    guard [change, before, top, began, caughtUp].allSatisfy((0...newest).contains) else {
      throw .badRequest(Reason.syncTokenInvalid)
    }
    // NB: the server may remove an old deletion between two pages of a reader's first reading. If
    // the deletion is older than the start of this reading, the token stays valid, because the
    // reader never had the deleted record. Otherwise the reader would start again, and might never
    // finish.
    if max(change, began) < forgotten { throw .badRequest(Reason.syncTokenExpired) }
  }
}

extension DatabaseView {
  /// A hash (FNV-1a) that identifies the database in change tokens.
  ///
  /// NB: clients store tokens. For public and private databases, the value must therefore stay the
  /// hash of the owner's name alone (an empty name for the public database).
  var fingerprint: Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in identity.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int64(bitPattern: hash)
  }

  /// A text that is unique among the databases of the store. User record names have no control
  /// characters, so a private database never has the same text as a shared one.
  var identity: String {
    switch self {
    case .public: ""
    case .private(let user): user
    case .shared(let user): "shared\u{0}" + user
    }
  }
}
