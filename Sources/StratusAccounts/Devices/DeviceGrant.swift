import StratusDomain
import StratusWire

/// A sign-in that waits for its user (RFC 8628). It was begun by a device, or by a program without
/// a browser.
struct DeviceGrant: Sendable, Hashable {
  /// The decision of the user.
  enum Decision: Sendable, Hashable {
    case none
    case refused
    /// The time is in milliseconds since 1970 UTC.
    case approved(accountID: String, at: Int64)
  }

  /// SHA-256 of the API token with which the program began the sign-in.
  let apiTokenHash: [UInt8]
  /// SHA-256 of the user code.
  let userCodeHash: [UInt8]
  /// The name of the machine, as the program states it.
  let machine: String
  /// The address of the machine, or an empty text if it is unknown.
  let clientAddress: String
  /// The time at which the sign-in began, in milliseconds since 1970 UTC.
  let beganAt: Int64
  var decision = Decision.none

  /// The lifetime of the codes. Choice: enough time to find a browser and to sign in there.
  static let lifetimeMilliseconds: Int64 = 10 * 60_000
  /// The number of seconds between two requests for the token (RFC 8628 §3.2).
  static let intervalSeconds: Int64 = 5
  /// The maximum number of waiting sign-ins, in all and by one client address. Choice: with the
  /// first maximum, a guessed user code is valid with a probability below one in a million.
  static let bounds = SignInStepBounds(countMax: 10_000, countPerSubscriberMax: 100)

  /// The text that the registry stores, with one property in each line. The name of the machine
  /// contains no line breaks.
  var text: String {
    let decided =
      switch decision {
      case .none: ""
      case .refused: "-"
      case .approved(let accountID, let time): "\(accountID) \(time)"
      }
    return [
      apiTokenHash.hex, userCodeHash.hex, clientAddress, String(beganAt), decided, machine,
    ].joined(separator: "\n")
  }

  /// Returns nil if the text has another format.
  init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 6, let apiTokenHash = [UInt8](hexText: lines[0]),
      let userCodeHash = [UInt8](hexText: lines[1]), let beganAt = Int64(lines[3])
    else { return nil }
    self.init(
      apiTokenHash: apiTokenHash, userCodeHash: userCodeHash, machine: lines[5],
      clientAddress: lines[2], beganAt: beganAt)
    let parts = lines[4].split(separator: " ").map(String.init)
    if lines[4] == "-" {
      decision = .refused
    } else if parts.count == 2, let time = Int64(parts[1]) {
      decision = .approved(accountID: parts[0], at: time)
    } else if !parts.isEmpty {
      return nil
    }
  }

  init(
    apiTokenHash: [UInt8], userCodeHash: [UInt8], machine: String, clientAddress: String,
    beganAt: Int64
  ) {
    self.apiTokenHash = apiTokenHash
    self.userCodeHash = userCodeHash
    self.machine = machine
    self.clientAddress = clientAddress
    self.beganAt = beganAt
  }
}

/// The code that the user of a device types or compares: eight consonants, for example `BCDF-GHJK`.
enum UserCode {
  /// The letters of a code. There are no vowels, so that no code is a word (RFC 8628 §6.1).
  private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let count = 8

  /// Draws a code.
  static func draw(_ randomness: Randomness) -> String {
    var code: [UInt8] = []
    while code.count < count {
      // NB: bytes of 240 or more are skipped, so that every letter is equally probable.
      for byte in randomness(count) where byte < 240 && code.count < count {
        code.append(letters[Int(byte) % letters.count])
      }
    }
    return String(decoding: code, as: UTF8.self)
  }

  /// Reads a typed code. Case, hyphens and spaces do not matter.
  ///
  /// - Returns: nil for a text that cannot be a code.
  static func read(_ typed: String) -> String? {
    guard typed.utf8.count <= 64 else { return nil }
    let code = typed.uppercased().filter { !" -\u{2010}\u{2011}".contains($0) }
    guard code.utf8.count == count, code.utf8.allSatisfy({ letters.contains($0) }) else {
      return nil
    }
    return code
  }

  /// Returns the form of a code that people read: `BCDF-GHJK`.
  static func shown(_ code: String) -> String { "\(code.prefix(4))-\(code.dropFirst(4))" }

  static func hash(_ code: String) -> [UInt8] { Digest.sha256(Array(code.utf8)) }
}
