public import StratusDomain
import StratusWire

/// Checks what the port `AssetStore` guarantees.
///
/// A test target runs each of ``checks`` on a new asset store. The clock of that store must return
/// ``now``.
public enum AssetStoreConformance {
  public typealias Check = ConformanceCheck<any AssetStore>

  /// The time of the checks, in milliseconds since 1970 UTC.
  public static let now: Int64 = 1_767_225_600_000

  public static let checks: [Check] = uploadChecks + noteChecks + fileChecks

  /// The checks of a store with a mark that names the owner of the files.
  public static let ownerChecks: [Check] = markChecks

  static let address = StoreAddress(container: "iCloud.org.example", environment: .development)
  static let other = StoreAddress(container: "iCloud.org.example", environment: .production)
  static let (first, second, third) = (
    "00AA0000-0000-4000-8000-000000000001", "00AB0000-0000-4000-8000-000000000002",
    "FF000000-0000-4000-8000-000000000003"
  )

  /// The SHA-256 hash of "abc" (FIPS 180-4, example B.1). `checksumOfNothing` is the hash of no
  /// bytes.
  public static let checksumOfABC: [UInt8] = [
    0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22, 0x23,
    0xB0, 0x03, 0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD,
  ]
  static let checksumOfNothing: [UInt8] = [
    0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24,
    0x27, 0xAE, 0x41, 0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
  ]

  /// Uploads bytes in one piece.
  static func put(
    _ text: String, as file: String, in store: any AssetStore,
    at address: StoreAddress = Self.address
  ) async throws -> WholeFile {
    let upload = try await store.open(upload: "upload-" + file, at: address, fromNothing: true)
    try await upload.append(Array(text.utf8))
    return try await upload.finish(as: file)
  }

  /// Returns the contents of a whole file, or nil if there is no such file.
  static func contents(
    of file: String, in store: any AssetStore, at address: StoreAddress = Self.address
  ) async throws -> String? {
    guard let file = try await store.open(file: file, at: address) else { return nil }
    let bytes = try await file.read(at: 0, count: Int(file.size) + 1)
    try expect(Int64(bytes.count), file.size, "size")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Fails the check unless the call throws `CONFLICT`. An upload throws this error after another
  /// caller has taken it over, or after it was discarded.
  static func expectLost(
    _ what: String, _ body: () async throws(ServerError) -> Void
  ) async throws {
    var code: ErrorCode?
    do throws(ServerError) { try await body() } catch { code = error.code }
    try expect(code, .conflict, what)
  }
}
