import ArgumentParser
import StratusWire

/// `stratus account devices`.
struct AccountDevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Show why a user's device does not sync.",
    discussion: """
      On the page /account/devices, the user makes a code of consent, which is valid for an hour. \
      The command reads the code from one line of standard input. Without the code, it shows \
      nothing.
      """)

  @OptionGroup var server: ServerOptions
  @OptionGroup var place: RoleCommand.Place

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    complain("code of consent:")
    guard let code = readLine(), !code.isEmpty else {
      throw Failure("there is no code on standard input; write it there as one line")
    }
    let response = try await server.send(
      ListDevices.self,
      .init(containerID: place.container, environment: place.environment, code: code))
    if json { return say(json: response) }
    if response.devices.isEmpty { return say("the user has no device here") }
    for device in response.devices { device.lines.forEach { say($0) } }
    if response.unsavedBytes > 0 {
      say("\(response.unsavedBytes) bytes of uploaded files are in no record")
    }
  }
}

extension DeviceReport {
  fileprivate var lines: [String] {
    var lines = ["\(deviceID) \(app.isEmpty ? "(unknown app)" : app)"]
    lines += findings.map { "  ! \($0)" }
    if let lastSeen { lines.append("  last request \(ToolTime.text(milliseconds: lastSeen))") }
    if let lastSave { lines.append("  last save \(ToolTime.text(milliseconds: lastSave))") }
    for zone in zones {
      let lag = zone.lag.map { $0 == 0 ? "up to date" : "\($0) records behind" } ?? "lag unknown"
      lines.append(
        "  zone \(zone.zoneName): last token \(ToolTime.text(milliseconds: zone.tokenAt)), \(lag)"
          + (zone.moreComing ? ", more follows" : ""))
    }
    if let push {
      let last = push.lastPush.map { ToolTime.text(milliseconds: $0) } ?? "never"
      lines.append(
        "  notifications by \(push.channel): last push \(last), \(push.waiting) waiting")
    }
    for request in requests where request.outcome != RequestEntry.okay {
      lines.append(
        "  \(ToolTime.text(milliseconds: request.time)) \(request.endpoint) \(request.outcome) "
          + (request.requestID ?? ""))
    }
    return lines
  }
}
