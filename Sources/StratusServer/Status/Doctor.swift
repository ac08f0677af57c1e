public import Foundation
import StratusDomain
import StratusSQLite
public import StratusWire

/// Examines a data folder without changing it. A server may use the folder at the same time.
public struct Doctor: Sendable {
  private let folder: URL
  private let inspection: FolderInspection
  private let readsAll: Bool
  private let now: Int64

  /// - Parameters:
  ///   - readsAll: whether large stores and the files of assets are read completely, which takes
  ///     some time.
  ///   - now: the present time, in milliseconds since 1970 UTC.
  public init(data folder: URL, readsAll: Bool = false, now: Int64 = Live.milliseconds()) {
    self.folder = folder.standardizedFileURL
    self.readsAll = readsAll
    self.now = now
    inspection = FolderInspection(of: folder, readsAll: readsAll)
  }

  /// The ID of the installation, or nil if it has none or the registry cannot be read.
  public var installationID: String? { try? inspection.installationID() }

  /// Returns all findings: first the parts of the schema that production lacks, then other
  /// problems, and then notes.
  public func findings() -> [Finding] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
      isFolder.boolValue
    else {
      return [
        .problem(
          "folder-missing", "there is no data folder \(folder.path)",
          fix: "give the server's data folder with --data, or restore it with 'stratus restore'")
      ]
    }
    let (known, registry) = registryFindings()
    let stores = storeFindings(known: known)
    var all: [Finding] = lackFindings()
    all += registry
    all += stores
    all += Self.keyFindings(
      in: folder, hasData: ![.missing, .empty].contains(inspection.registryState()))
    all += FolderModes(folder).findings()
    all += BackupFindings(folder: folder, now: now).findings()
    all += Self.diskFindings(folder, name: "data folder")
    return Self.sorted(all)
  }

  /// Returns the problems, and then the notes.
  static func sorted(_ findings: [Finding]) -> [Finding] {
    findings.filter { $0.severity == .problem } + findings.filter { $0.severity == .note }
  }

  /// The stores that have a file, in order of their names.
  private var found: [StoreAddress] { (try? DataFolder.stores(in: folder)) ?? [] }

  private func lackFindings() -> [Finding] {
    var items: [LackItem] = []
    for address in found where address.environment == .production {
      // A store of an earlier layout has no counts. A damaged store is reported in another finding.
      guard let counts = try? inspection.lackCounts(ofStore: address) else { continue }
      items += counts.map { LackItem($0, of: address.container) }
    }
    return Self.findings(of: items)
  }

  /// Returns the findings about parts of schemas that production lacks, the most frequent first.
  static func findings(of items: [LackItem]) -> [Finding] {
    items.sorted { ($0.count, $0.lastAt) > ($1.count, $1.lastAt) }.map { Finding($0) }
  }

  private func registryFindings() -> (known: [StoreAddress: Int64]?, [Finding]) {
    let file = "the server's own file server.sqlite"
    let state = inspection.registryState()
    let findings = Self.findings(of: state, file, name: "registry")
    switch state {
    case .good: return (try? inspection.knownStores(), findings)
    case .missing where found.isEmpty, .empty where found.isEmpty:
      return (nil, [.note("empty", "the data folder \(folder.path) has no data yet")])
    case .missing, .empty:
      return (
        nil,
        [
          .problem(
            "registry-missing", "\(file) is missing, though there are stores",
            fix: "restore the data folder with 'stratus restore'")
        ]
      )
    case .damaged, .newer, .older: return (nil, findings)
    }
  }

  private func storeFindings(known: [StoreAddress: Int64]?) -> [Finding] {
    var findings: [Finding] = []
    let found = Set(self.found)
    for address in (known?.keys.filter { !found.contains($0) } ?? []).sorted(by: Self.precedes) {
      findings.append(
        .problem(
          "store-missing", "\(Self.name(of: address)) has no file",
          fix: "stop the server, restore the file from a backup, and start the server"))
    }
    for address in self.found {
      let name = Self.name(of: address)
      var state = inspection.state(ofStore: address)
      // NB: a store that the registry knows had tables before, so an empty file has lost its
      // contents.
      if state == .empty, known?[address] != nil { state = .missing }
      findings += Self.findings(of: state, name, name: "store")
      if let expected = known?[address], let epoch = try? inspection.epoch(ofStore: address),
        epoch != expected
      {
        findings.append(
          .problem(
            "store-replaced", "the file of \(name) is not the one that the server wrote",
            fix: "stop the server, restore the right file, or use 'stratus restore', which also "
              + "makes devices sync again from the beginning"))
      }
      if state == .good, !inspection.skipsContents(ofStore: address) {
        findings += StoreFindings(
          folder: AssetsPlace(data: folder).stored == nil ? folder : nil, inspection: inspection,
          address: address, now: now, readsFiles: readsAll
        ).findings()
      }
      if inspection.skipsContents(ofStore: address) {
        findings.append(
          .note("store-unread", "\(name) is large and was not read as a whole; --thorough does so"))
      }
    }
    return findings
  }

  static func findings(
    of state: FolderInspection.FileState, _ what: String, name: String
  ) -> [Finding] {
    switch state {
    case .good: []
    case .missing:
      [.problem("\(name)-missing", "\(what) is empty", fix: "restore it from a backup")]
    case .empty:
      [
        .note(
          "\(name)-empty",
          "\(what) has no tables yet; the server creates them when it opens the file")
      ]
    case .damaged(let detail):
      [
        .problem(
          "\(name)-damaged", "\(what) is damaged: \(detail)",
          fix: "stop the server and restore the data folder with 'stratus restore'")
      ]
    case .newer(let layout, let known):
      [
        .problem(
          "\(name)-newer",
          "\(what) has layout \(layout), and this version of Stratus knows layouts up to \(known)",
          fix: "run the newer version of Stratus that wrote it")
      ]
    case .older(let layout, let known):
      [
        .note(
          "\(name)-older",
          "\(what) has layout \(layout); the server upgrades it to \(known) when it is opened")
      ]
    }
  }

  /// - Parameter hasData: whether a server has used the folder, and has created keys.
  static func keyFindings(
    in folder: URL, hasData: @autoclosure () -> Bool
  ) -> [Finding] {
    let file = KeyFile.location(in: folder)
    guard FileManager.default.fileExists(atPath: file.path) else {
      if !hasData() { return [] }
      return [
        .problem(
          "keys-missing",
          "the server's keys (keys/server.keys) are missing: all users must sign in again",
          fix: "restore the file that 'stratus backup --keys' created")
      ]
    }
    do {
      _ = try KeyFile(data: folder)
      return []
    } catch {
      return [
        .problem(
          "keys-unreadable", "the server's keys cannot be read: \(error)",
          fix: "restore the file that 'stratus backup --keys' created as keys/server.keys")
      ]
    }
  }

  /// - Parameter name: the name of the folder in the sentence.
  static func diskFindings(_ folder: URL, name: String) -> [Finding] {
    var status = statvfs()
    guard statvfs(folder.path, &status) == 0 else { return [] }
    let free = Double(status.f_bavail) * Double(status.f_frsize)
    let text = "the disk of the \(name) has \(size(free)) left"
    if free >= freeBytesMin { return [.note("disk-free", text)] }
    return [
      .problem(
        "disk-low", text, fix: "free some space on the disk, or use a larger disk")
    ]
  }

  /// The free disk space in bytes below which a finding is reported. Choice: enough for the
  /// write-ahead logs of a few stores.
  private static let freeBytesMin = 268_435_456.0

  private static func size(_ bytes: Double) -> String {
    bytes >= 1e9 ? "\(Int(bytes / 1e9)) GB" : "\(Int(bytes / 1e6)) MB"
  }

  static func name(of address: StoreAddress) -> String {
    "the store of \(address.container) (\(address.environment.rawValue))"
  }

  private static func precedes(_ left: StoreAddress, _ right: StoreAddress) -> Bool {
    (left.container, left.environment.rawValue) < (right.container, right.environment.rawValue)
  }
}
