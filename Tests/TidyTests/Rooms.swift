/// A target of the package: which of ours and which outside modules it may import.
struct Room {
  var ours: Set<String> = []
  var others: Set<String> = []
}

/// The rooms and their doors: the table of `docs/ARCHITECTURE.md`.
enum Rooms {
  /// What ships, by name.
  static let all: [String: Room] = [
    "StratusWire": Room(),
    "StratusDomain": Room(ours: ["StratusWire"]),
    "StratusSQL": Room(ours: domain),
    "StratusSQLite": Room(ours: domain + ["StratusSQL"], others: ["GRDB", "GRDBSQLite"]),
    "StratusPostgres": Room(ours: domain + ["StratusSQL"], others: ["CPostgreSQL"]),
    "StratusAssets": Room(ours: domain, others: crypto + ["AsyncHTTPClient"]),
    "StratusAccounts": Room(ours: domain, others: crypto + ["JWTKit"]),
    "StratusPush": Room(
      ours: domain,
      others: crypto + httpClient + ["NIOHTTP2", "NIOPosix"]),
    "StratusHTTP": Room(ours: domain + ["StratusConsole"], others: hummingbird),
    "StratusConsole": Room(ours: ["StratusConsoleFiles"]),
    "StratusConsoleFiles": Room(),
    "StratusServer": Room(ours: serverRooms, others: composition),
    "stratus": Room(
      ours: ["StratusServer", "StratusTransport", "StratusWire"],
      others: ["ArgumentParser", "Logging"]),
    "StratusFoundation": Room(),
    "StratusTransport": Room(
      ours: ["StratusWire"], others: crypto + httpClient + ["NIOPosix"]),
    "StratusKitRegistration": Room(),
    "StratusKit": Room(
      ours: ["StratusWire", "StratusTransport", "StratusFoundation", "StratusKitRegistration"]),
    "CloudKit": Room(ours: ["StratusKit", "StratusFoundation"]),
    "CoreLocation": Room(ours: ["StratusFoundation"]),
    "StratusConformance": Room(ours: domain),
    "StratusTesting": Room(
      ours: serverRooms + ["StratusServer", "StratusKit", "StratusTransport"],
      others: hummingbird + ["HummingbirdTesting", "Testing"]),
  ]

  /// What the toolchain brings; every room may use it, but for the rooms in ``austere``.
  static let toolchain: Set<String> = ["Foundation", "Synchronization", "Dispatch"]

  /// Modules whose types an interface may show, for rooms whose users know no others.
  static let shown: [String: Set<String>] = ["StratusTesting": ["Foundation", "StratusKit"]]

  /// Rooms that do without Foundation: SQL is text and bytes.
  static let austere: Set<String> = ["StratusSQL", "StratusConsole"]

  /// What an example may import: what an app written for Apple's systems imports.
  static let example: Set<String> = ["Foundation", "CloudKit", "CoreLocation"]

  /// What every test may import besides ours and the outside packages of the room it tests.
  /// `QueryChecks` lies beside them, since a program of the soak runs it, too, and `EventScripts`,
  /// since two of them use it.
  static let tests: Set<String> = [
    "Foundation", "Synchronization", "Dispatch", "Testing",
    "HummingbirdTesting", "QueryChecks", "EventScripts",
  ]

  private static let domain: Set<String> = ["StratusDomain", "StratusWire"]
  private static let crypto: Set<String> = ["Crypto", "CryptoExtras"]
  /// Hummingbird speaks in the types of these.
  private static let hummingbird: Set<String> = [
    "Hummingbird", "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1",
    "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "Logging",
  ]
  /// AsyncHTTPClient speaks in the types of these.
  private static let httpClient: Set<String> = [
    "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOSSL",
  ]
  private static let serverRooms: Set<String> =
    domain + [
      "StratusAccounts", "StratusAssets", "StratusHTTP", "StratusPostgres", "StratusPush",
      "StratusSQL", "StratusSQLite",
    ]
  /// NB: Hummingbird's home is StratusHTTP; the root only starts the application it makes.
  private static let composition: Set<String> = [
    "Configuration", "Hummingbird", "Logging", "Metrics", "ServiceLifecycle", "UnixSignals",
  ]
}

private func + (left: Set<String>, right: Set<String>) -> Set<String> { left.union(right) }
