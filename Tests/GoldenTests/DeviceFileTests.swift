import Foundation
import StratusTransport
import StratusWire
import Testing

@testable import StratusKit

@Suite struct `Device files from the last release before sharing` {
  private let scratch: ScratchFolder
  private let device: URL

  init() throws {
    scratch = try ScratchFolder()
    device = scratch.url.appending(path: "device")
    try GoldenFiles.copy("device", to: device)
  }

  @Test func `a device keeps its credentials when the framework is updated`() throws {
    let settings = try #require(
      CredentialsFile.read(at: device.appending(path: "credentials.json")))
    #expect(settings.url == URL(string: "http://stratus.test"))
    #expect(settings.container == GoldenFiles.golden)
    #expect(settings.environment == .development)
    let place = "\(GoldenFiles.golden).development"
    #expect(settings.apiToken == (try GoldenFiles.text("apiToken.\(place)")))
    #expect(settings.webAuthToken == (try GoldenFiles.text("webAuthToken.\(place).alice")))
  }

  @Test
  func `a device keeps the key of its encrypted values when the framework is updated`() throws {
    let keys = try DeviceKeys(file: device.appending(path: "keys.json")).all()
    #expect(keys.count == 1)
    let text = try String(contentsOf: device.appending(path: "keys.json"), encoding: .utf8)
    #expect(text.contains(RecoveryKey(try #require(keys.first)).text))
  }

  @Test func `a device keeps its name when the framework is updated`() throws {
    let identity = DeviceIdentity.known(
      to: GoldenFiles.program, in: device.appending(path: "state"),
      container: GoldenFiles.golden, environment: .development)
    #expect(identity?.id == "GOLDEN-DEVICE-0001")
    let other = DeviceIdentity.known(
      to: "other-app", in: device.appending(path: "state"), container: GoldenFiles.golden,
      environment: .development)
    #expect(other == nil)
  }
}
