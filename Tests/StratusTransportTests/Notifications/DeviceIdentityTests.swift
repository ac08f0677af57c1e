import Foundation
import StratusWire
import Synchronization
import Testing

@testable import StratusTransport

@Suite final class DeviceNames {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "stratus-state-\(UUID().uuidString)", isDirectory: true)
  private let drawn = Mutex(0)

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func identity(
    container: String = "iCloud.org.example.App", in place: URL? = nil, of program: String = "app"
  ) -> DeviceIdentity? {
    DeviceIdentity.taken(
      by: program, in: place ?? folder, container: container, environment: .development
    ) {
      drawn.withLock { count in
        count += 1
        return "device-\(count)"
      }
    }
  }

  @Test func `a restarted program has the same device name`() throws {
    var first = identity()
    #expect(first?.id == "device-1")
    first = nil
    #expect(identity()?.id == "device-1")
  }

  @Test func `programs that run at the same time have different device names`() throws {
    var first = identity()
    var second = identity()
    #expect(first?.id == "device-1")
    #expect(second?.id == "device-2")
    first = nil
    // A program gets the first free device name, even if another process had this name before.
    let third = try #require(identity())
    #expect(third.id == "device-1")
    #expect(second?.id == "device-2")
    second = nil
    #expect(identity()?.id == "device-2")
    withExtendedLifetime(third) {}
  }

  private func known(to program: String) -> DeviceIdentity? {
    DeviceIdentity.known(
      to: program, in: folder, container: "iCloud.org.example.App", environment: .development)
  }

  private func slot(_ number: Int) -> URL {
    folder.appendingPathComponent("devices/iCloud.org.example.App.development.\(number)")
  }

  @Test
  func `a program gets back its own device name and not the name of another program`() throws {
    #expect(known(to: "one") == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(identity(of: "one")?.id == "device-1")
    #expect(identity(of: "two")?.id == "device-2")
    #expect(known(to: "two")?.id == "device-2")
    #expect(known(to: "three") == nil)
    let one = try #require(known(to: "one"))
    #expect(one.id == "device-1")
    // A second process of the same program runs at the same time.
    #expect(known(to: "one") == nil)
    #expect(identity(of: "one")?.id == "device-3")
    withExtendedLifetime(one) {}
  }

  @Test func `a program with any name gets a device ID`() {
    for (number, program) in ["", "a\nb", "ü", String(repeating: "x", count: 999)].enumerated() {
      #expect(identity(of: program)?.id == "device-\(number + 1)")
      #expect(known(to: program)?.id == "device-\(number + 1)")
    }
  }

  @Test func `a device name without a complete program name goes to the next program`() throws {
    for text in ["old\n", "old\nhal"] {
      _ = identity()
      try Data(text.utf8).write(to: slot(0))
      #expect(known(to: "hal") == nil)
      #expect(identity(of: "new")?.id == "old")
      #expect(known(to: "new")?.id == "old")
      #expect(try String(contentsOf: slot(0), encoding: .utf8) == "old\nnew\n")
    }
  }

  @Test func `each container and environment has its own device names`() throws {
    let one = try #require(identity())
    let other = try #require(identity(container: "iCloud.org.example.Other"))
    let strange = try #require(identity(container: "../../iCloud/x"))
    let production = DeviceIdentity.taken(
      by: "app", in: folder, container: "iCloud.org.example.App", environment: .production
    ) { "p" }
    #expect(one.id == "device-1")
    #expect(other.id == "device-2")
    #expect(strange.id == "device-3")
    #expect(production?.id == "p")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("devices").path)
    #expect(files.count == 4)
  }

  @Test func `a damaged device name is replaced by a new one`() throws {
    for text in ["", "half", "with space\n", String(repeating: "x", count: 70) + "\n", "\n"] {
      _ = identity()
      let file = folder.appendingPathComponent("devices/iCloud.org.example.App.development.0")
      try Data(text.utf8).write(to: file)
      let count = drawn.withLock { $0 }
      let made = try #require(identity()).id
      #expect(made == "device-\(count + 1)")
      #expect(identity()?.id == made)
    }
  }

  @Test func `without a usable folder, there is no device name`() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("file")
    try Data().write(to: file)
    #expect(identity(in: file.appendingPathComponent("below")) == nil)
    #expect(identity(container: String(repeating: "x", count: 300)) == nil)
  }

  @Test func `the number of device names in use is limited`() throws {
    var held: [DeviceIdentity] = []
    for _ in 0..<DeviceIdentity.slotsMax { held.append(try #require(identity())) }
    #expect(Set(held.map(\.id)).count == DeviceIdentity.slotsMax)
    #expect(identity() == nil)
  }

  @Test func `the environment variables determine the folder of persistent state`() {
    func place(_ variables: [String: String]) -> String? {
      StateFolder.location(environmentVariables: variables)?.path
    }
    #expect(place(["HOME": "/home/ann"]) == "/home/ann/.local/state/stratus")
    #expect(place(["HOME": "/home/ann", "XDG_STATE_HOME": "/var/x"]) == "/var/x/stratus")
    #expect(
      place(["HOME": "/home/ann", "XDG_STATE_HOME": "x"]) == "/home/ann/.local/state/stratus")
    #expect(place(["STRATUS_STATE": "/s", "XDG_STATE_HOME": "/var/x"]) == "/s")
    #expect(place([:]) == nil)
  }
}
