/// A target of the package, with the project's modules and the other modules that it may import.
struct Room {
  var ours: Set<String> = []
  var others: Set<String> = []
}

/// The modules and the imports that they may use. The table is also in `docs/ARCHITECTURE.md`.
enum Modules {
  /// The shipped targets by name.
  static let all: [String: Room] = [
    "StratusWire": Room(),
    "StratusDomain": Room(ours: ["StratusWire"]),
    "StratusSQL": Room(ours: domain),
    "CSQLite": Room(),
    "StratusSQLite": Room(ours: domain + ["StratusSQL"], others: ["CSQLite"]),
    "CPostgreSQL": Room(),
    "StratusPostgres": Room(ours: domain + ["StratusSQL"], others: ["CPostgreSQL"]),
    "StratusAssets": Room(ours: domain, others: crypto + httpClient),
    "StratusAccounts": Room(ours: domain, others: crypto),
    "StratusMail": Room(ours: domain, others: ["NIOCore", "NIOPosix", "NIOSSL"]),
    "StratusPush": Room(
      ours: domain,
      others: crypto + httpClient + ["NIOHTTP2", "NIOPosix"]),
    "StratusHTTP": Room(
      ours: domain + ["StratusConsole"], others: hummingbird + ["NIOSSL", "NIOTLS"]),
    "StratusConsole": Room(ours: ["StratusConsoleFiles"]),
    "StratusConsoleFiles": Room(),
    "StratusServer": Room(ours: serverModules, others: composition + httpClient),
    "StratusProgress": Room(),
    "stratus": Room(
      ours: ["StratusProgress", "StratusServer", "StratusTransport", "StratusWire"],
      others: ["ArgumentParser", "Logging", "Yams"]),
    "StratusArchive": Room(),
    "StratusFoundation": Room(ours: ["StratusArchive"]),
    "StratusTransport": Room(
      ours: ["StratusWire"], others: crypto + httpClient + ["NIOPosix"]),
    "StratusKitRegistration": Room(),
    "StratusKit": Room(
      ours: [
        "StratusArchive", "StratusWire", "StratusTransport", "StratusFoundation",
        "StratusKitRegistration",
      ]),
    "CloudKit": Room(ours: ["StratusKit", "StratusFoundation"]),
    "CoreLocation": Room(ours: ["StratusFoundation"]),
    "StratusConformance": Room(ours: domain),
    "StratusTesting": Room(
      ours: serverModules + ["StratusServer", "StratusKit", "StratusTransport"],
      others: hummingbird + ["HummingbirdTesting", "Testing"]),
  ]

  /// The modules of C libraries. A test may import such a module only if the tested target may.
  static let libraries: Set<String> = ["CPostgreSQL", "CSQLite"]

  /// Modules of the toolchain. Every target may import them, except the targets in ``austere``.
  static let toolchain: Set<String> = ["Foundation", "Synchronization", "Dispatch"]

  /// The modules whose types the public interface of a target may show. Other targets have no
  /// limit.
  static let shown: [String: Set<String>] = ["StratusTesting": ["Foundation", "StratusKit"]]

  /// Targets that do not use Foundation.
  static let austere: Set<String> = ["StratusSQL", "StratusConsole"]

  /// Modules that an example may import. Apps for Apple's systems can import them, too.
  static let example: Set<String> = ["Foundation", "CloudKit", "CoreLocation"]

  /// Modules that every test may import, in addition to the project's modules and the packages of
  /// the tested target. `QueryChecks` is a separate module because `query-soak` also uses it.
  /// `EventScripts` and `StoreTestSupport` are separate modules because two test targets use each
  /// of them. `S3Server` is also part of a program. Tests sign requests with `Crypto`, play
  /// authenticators with `CryptoExtras`, and make metrics with `CoreMetrics`.
  static let tests: Set<String> = [
    "Foundation", "Synchronization", "Dispatch", "Testing",
    "HummingbirdTesting", "NIOEmbedded", "QueryChecks", "EventScripts", "S3Server",
    "StoreTestSupport", "Crypto", "CryptoExtras", "CoreMetrics",
  ]

  /// Modules that the tests' own S3 server may import, in addition to ``tests``. The S3 server
  /// imports no module of the project, so that it cannot repeat a mistake of the S3 client.
  static let testServer = hummingbird

  /// Modules that `StoreTestSupport` may import, in addition to ``tests``. It makes the files of
  /// earlier versions without the server's code.
  static let storeSupport: Set<String> = ["CSQLite"]

  private static let domain: Set<String> = ["StratusDomain", "StratusWire"]
  private static let crypto: Set<String> = ["Crypto", "CryptoExtras"]
  /// Hummingbird, and the modules whose types occur in its interface.
  private static let hummingbird: Set<String> = [
    "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1",
    "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "Logging",
  ]
  /// AsyncHTTPClient, and the modules whose types occur in its interface.
  private static let httpClient: Set<String> = [
    "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOSSL",
  ]
  private static let serverModules: Set<String> =
    domain + [
      "StratusAccounts", "StratusAssets", "StratusConsole", "StratusHTTP", "StratusMail",
      "StratusPostgres",
      "StratusPush", "StratusSQL", "StratusSQLite",
    ]
  /// NB: only StratusHTTP uses Hummingbird directly. The composition root only starts Hummingbird's
  /// application.
  private static let composition: Set<String> = [
    "Configuration", "CoreMetrics", "HTTPTypes", "Hummingbird", "Instrumentation", "Logging",
    "ServiceLifecycle", "Tracing", "UnixSignals",
  ]
}

private func + (left: Set<String>, right: Set<String>) -> Set<String> { left.union(right) }
