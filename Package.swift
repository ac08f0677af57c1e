// swift-tools-version: 6.2
import PackageDescription

/// The settings of every target.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let asyncHTTPClient = Target.Dependency.product(
  name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let instrumentation = Target.Dependency.product(
  name: "Instrumentation", package: "swift-distributed-tracing")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
/// The modules whose types appear in Hummingbird's interface.
let hummingbirdTypes: [Target.Dependency] = [
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "NIOCore", package: "swift-nio"),
  logging,
]
/// The modules whose types appear in AsyncHTTPClient's interface.
let httpClientTypes: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOSSL", package: "swift-nio-ssl"),
]

/// A module of the package: its name, and the modules and packages that it may import.
/// `docs/ARCHITECTURE.md` has the table of modules.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(
  _ name: String, path: String? = nil, _ dependencies: [Target.Dependency]
) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "stratus",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "stratus", targets: ["stratus"]),
    .library(name: "CloudKit", targets: ["CloudKit", "CoreLocation"]),
    .library(name: "StratusTesting", targets: ["StratusTesting"]),
    // For authors of other storage engines: the ports, and the suites that an engine must pass.
    .library(
      name: "StratusConformance",
      targets: ["StratusConformance", "StratusDomain", "StratusWire"]),
  ],
  traits: [
    .trait(
      name: "Postgres",
      description: "Stores in PostgreSQL. The program then needs libpq.so.5 for --postgres.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Client and server
    room("StratusWire"),

    // Server
    room("StratusDomain", ["StratusWire"]),
    room("StratusSQL", ["StratusDomain", "StratusWire"]),
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    room("StratusSQLite", ["CSQLite", "StratusSQL", "StratusDomain", "StratusWire"]),
    // NB: the program loads libpq when it first connects to PostgreSQL. So neither the build nor a
    // server without PostgreSQL needs libpq. Without the trait, all files of StratusPostgres are
    // empty.
    .target(
      name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    room(
      "StratusPostgres",
      [
        "StratusSQL", "StratusDomain", "StratusWire",
        .target(name: "CPostgreSQL", condition: .when(traits: ["Postgres"])),
      ]),
    room("StratusAccounts", ["StratusDomain", "StratusWire", crypto, cryptoExtras]),
    room(
      "StratusMail",
      [
        "StratusDomain",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    room(
      "StratusAssets",
      ["StratusDomain", "StratusWire", asyncHTTPClient, crypto] + httpClientTypes),
    room(
      "StratusPush",
      ["StratusDomain", "StratusWire", asyncHTTPClient, crypto] + httpClientTypes),
    // The compiler embeds the files by #embed, so they are no resources.
    .target(name: "StratusConsoleFiles", exclude: ["Files"]),
    room("StratusConsole", ["StratusConsoleFiles"]),
    room(
      "StratusHTTP",
      [
        "StratusConsole", "StratusDomain", "StratusWire", hummingbird,
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"),
      ] + hummingbirdTypes),
    room(
      "StratusServer",
      [
        "StratusAccounts", "StratusAssets", "StratusConsole", "StratusDomain", "StratusHTTP",
        "StratusMail", "StratusPush", "StratusSQL", "StratusSQLite", "StratusWire", asyncHTTPClient,
        hummingbird, instrumentation, logging, metrics, tracing,
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .target(name: "StratusPostgres", condition: .when(traits: ["Postgres"])),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + httpClientTypes),
    room("StratusProgress"),
    program(
      "stratus",
      [
        "StratusProgress", "StratusServer", "StratusTransport", "StratusWire", argumentParser,
        logging, .product(name: "Yams", package: "Yams"),
      ]),

    // Client
    room("StratusArchive"),
    room("StratusFoundation", ["StratusArchive"]),
    room(
      "StratusTransport",
      [
        "StratusWire", asyncHTTPClient, crypto,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .target(name: "StratusKitRegistration"),
    room(
      "StratusKit",
      [
        "StratusArchive", "StratusWire", "StratusTransport", "StratusFoundation",
        "StratusKitRegistration",
      ]),
    room("CloudKit", ["StratusKit", "StratusFoundation"]),
    room("CoreLocation", ["StratusFoundation"]),

    // Examples
    .executableTarget(
      name: "CloudNotes", dependencies: ["CloudKit"], path: "Examples/CloudNotes",
      exclude: ["README.md"], swiftSettings: strict),
    .target(
      name: "NotesSync", dependencies: ["CloudKit"], path: "Examples/NotesSync/Sync",
      swiftSettings: strict),
    program("notes-sync", path: "Examples/NotesSync/Terminal", ["NotesSync"]),
    .executableTarget(
      name: "Fatchat", dependencies: ["CloudKit"], path: "Examples/Fatchat",
      exclude: ["README.md"], swiftSettings: strict),
    .executableTarget(
      name: "Parties", dependencies: ["CloudKit", "CoreLocation"], path: "Examples/Parties",
      exclude: ["README.md"], swiftSettings: strict),
    .executableTarget(
      name: "Tour", dependencies: ["CloudKit"], path: "Examples/Tour",
      exclude: ["README.md"], swiftSettings: strict),

    // The simulation
    .executableTarget(
      name: "stratus-simulation",
      dependencies: [
        "StratusDomain", "StratusHTTP", "StratusKit", "StratusProgress", "StratusPush",
        "StratusSQLite", "StratusTesting", "StratusTransport", "StratusWire", argumentParser,
        logging,
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Simulation", exclude: ["Planted"], swiftSettings: strict),

    // Test support and tests
    room("StratusConformance", ["StratusDomain", "StratusWire"]),
    room(
      "StratusTesting",
      [
        "StratusAccounts", "StratusDomain", "StratusHTTP", "StratusPush", "StratusServer",
        "StratusTransport", "StratusKit", "StratusWire",
        .product(name: "HTTPTypes", package: "swift-http-types"), logging,
      ]),
    tests("NotesSyncTests", ["CloudKit", "NotesSync", "StratusTesting"]),
    tests("StratusTestingTests", ["CloudKit", "StratusTesting"]),
    tests(
      "StratusCrashTests",
      [
        "CloudKit", "StratusAccounts", "StratusProgress", "StratusTesting", "StratusTransport",
        "StratusWire",
      ]),
    tests(
      "StratusModelTests",
      ["CloudKit", "StratusAccounts", "StratusProgress", "StratusTesting", "StratusTransport"]),
    tests(
      "StratusSubscriptionTests",
      ["StratusAssets", "StratusDomain", "StratusSQLite", "StratusTesting", "StratusWire"]),
    tests("StratusCommandTests", ["stratus", "StratusServer", "StratusWire"]),
    // NB: these tests run the program, so they depend on it.
    tests("StratusSimulationTests", ["stratus-simulation"]),
    .target(
      name: "QueryChecks",
      dependencies: [
        "StratusAssets", "StratusDomain", "StratusProgress", "StratusSQLite", "StratusTesting",
        "StratusWire",
      ], path: "Tests/QueryChecks", swiftSettings: strict),
    tests("StratusQueryTests", ["QueryChecks"]),
    program("query-soak", path: "Tests/QuerySoak", ["QueryChecks"]),
    tests("TidyTests", []),
    .target(
      name: "S3Server", dependencies: [crypto, hummingbird] + hummingbirdTypes,
      path: "Tests/S3Server", swiftSettings: strict),
    program("stratus-s3", path: "Tests/S3Program", ["S3Server"]),
    program("engine-watch", path: "Tests/EngineProgram", ["CloudKit"]),
    tests(
      "StratusAssetsTests",
      [
        "S3Server", "StratusAssets", "StratusConformance", "StratusDomain", "StratusWire",
        asyncHTTPClient,
      ] + httpClientTypes),
    tests(
      "StratusMailTests",
      [
        "StratusMail", "StratusDomain",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    tests("StratusConsoleTests", ["StratusConsole"]),
    tests("StratusDomainTests", ["StratusDomain", "StratusWire"]),
    tests(
      "StratusPushTests",
      [
        "StratusPush", "StratusAccounts", "StratusDomain", "StratusServer", "StratusSQLite",
        "StratusTesting", "StratusTransport", "StratusWire", crypto,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ] + httpClientTypes),
    tests(
      "StratusHTTPTests",
      [
        "S3Server", "StratusAccounts", "StratusConsole", "StratusDomain", "StratusHTTP",
        "StratusPush", "StratusServer",
        "StratusTesting", "StratusWire", crypto, cryptoExtras, hummingbird,
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOTLS", package: "swift-nio"), metrics,
      ] + hummingbirdTypes),
    tests("StratusWireTests", ["StratusWire"]),
    tests("StratusProgressTests", ["StratusProgress"]),
    .target(
      name: "StoreTestSupport",
      dependencies: ["CSQLite", "StratusDomain", "StratusSQL", "StratusSQLite"],
      path: "Tests/StoreTestSupport", swiftSettings: strict),
    tests(
      "StratusSQLiteTests",
      [
        "StoreTestSupport", "StratusConformance", "StratusSQLite", "StratusSQL", "StratusDomain",
        "StratusWire",
      ]),
    tests(
      "StratusPostgresTests",
      [
        "StoreTestSupport", "StratusConformance", "StratusPostgres", "StratusServer", "StratusSQL",
        "StratusSQLite", "StratusDomain", "StratusTesting", "StratusWire",
      ]),
    tests("StratusFoundationTests", ["StratusFoundation"]),
    .target(
      name: "EventScripts", dependencies: ["StratusTransport"], path: "Tests/EventScripts",
      swiftSettings: strict),
    tests(
      "StratusTransportTests", ["EventScripts", "StratusTransport", "StratusWire", crypto]),
    tests(
      "StratusKitTests",
      [
        "CloudKit", "CoreLocation", "EventScripts", "StratusFoundation", "StratusKit",
        "StratusTransport", "StratusWire",
      ]),
    tests(
      "StratusEndToEndTests",
      [
        "CloudKit", "CoreLocation", "StratusAccounts", "StratusKit", "StratusTesting",
        "StratusTransport", "StratusDomain", "StratusServer", "StratusWire",
      ]),
    tests(
      "GoldenTests",
      [
        "StratusFoundation", "StratusKit", "StratusTesting", "StratusTransport", "StratusWire",
      ]),
    // NB: this target compiles code as apps write it, so it has an app's settings and not those of
    // the package's own targets.
    .testTarget(
      name: "ClientCodeTests", dependencies: ["CloudKit", "CoreLocation"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

#if os(Linux)
  // The benchmark exists only on Linux, because it waits on its sockets with `epoll`.
  package.targets += [
    .target(name: "CEpoll", path: "Benches/CEpoll"),
    program(
      "stratus-bench", path: "Benches/stratus-bench",
      [
        "CEpoll", "CSQLite", "CloudKit", "StratusProgress", "StratusWire", argumentParser,
        hummingbird,
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + hummingbirdTypes),
  ]
#endif
