import Crypto
import CryptoExtras
import Foundation
import StratusDomain

/// The scrypt hash of a password (RFC 7914), with its parameters.
struct PasswordHash: Sendable, Hashable {
  /// The parameters of scrypt.
  struct Cost: Sendable, Hashable {
    /// The binary logarithm of scrypt's parameter N.
    var logRounds: Int
    var blockSize = 8
    var parallelism = 3
  }

  let cost: Cost
  let salt: [UInt8]
  let hash: [UInt8]

  static let saltCount = 16
  private static let hashCount = 32

  /// Hashes a password. This takes about 0.4 s with the standard cost.
  ///
  /// - Throws: `INTERNAL_ERROR` if there is not enough memory for the hash.
  init(of password: String, salt: [UInt8], cost: Cost) throws(ServerError) {
    self.cost = cost
    self.salt = salt
    hash = try Self.derive(password, salt, cost, count: Self.hashCount)
  }

  /// Whether this is the hash of the password. A wrong password takes as long as the right one.
  ///
  /// - Throws: `INTERNAL_ERROR` if there is not enough memory for the hash.
  func matches(_ password: String) throws(ServerError) -> Bool {
    let other = try Self.derive(password, salt, cost, count: hash.count)
    return zip(hash, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func derive(
    _ password: String, _ salt: [UInt8], _ cost: Cost, count: Int
  ) throws(ServerError) -> [UInt8] {
    do {
      let key = try KDF.Scrypt.deriveKey(
        from: Data(password.utf8), salt: Data(salt), outputByteCount: count,
        rounds: 1 << cost.logRounds, blockSize: cost.blockSize, parallelism: cost.parallelism)
      return key.withUnsafeBytes { Array($0) }
    } catch {
      throw .fault("a password cannot be hashed", facts: ["error": "\(error)"])
    }
  }

  /// The hash in the PHC string format, such as `$scrypt$ln=15,r=8,p=3$salt$hash`.
  var text: String {
    "$scrypt$ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
      + "$\(Self.base64(salt))$\(Self.base64(hash))"
  }

  /// Returns nil for another format, and for parameters outside the permitted ranges.
  init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
      let match = parts[2].wholeMatch(of: /ln=([0-9]{1,2}),r=([0-9]{1,2}),p=([0-9]{1,2})/),
      let logRounds = Int(match.output.1), (1...20).contains(logRounds),
      let blockSize = Int(match.output.2), (1...32).contains(blockSize),
      let parallelism = Int(match.output.3), (1...16).contains(parallelism),
      let salt = Self.bytes(parts[3]), (8...64).contains(salt.count),
      let hash = Self.bytes(parts[4]), (16...64).contains(hash.count)
    else { return nil }
    cost = Cost(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
    self.salt = salt
    self.hash = hash
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("=", with: "")
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    guard !text.contains("=") else { return nil }
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    return Data(base64Encoded: String(padded)).map { Array($0) }
  }
}
