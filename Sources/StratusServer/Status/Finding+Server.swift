public import StratusWire

extension Finding {
  /// Creates the finding about a part of the schema that production lacks.
  public init(_ lack: LackItem) {
    let app = lack.app.isEmpty ? "" : " of \(lack.app)"
    let isOne = lack.count == 1
    let requests = isOne ? "1 request" : "\(lack.count) requests"
    self = .problem(
      "production-lacks",
      "production of \(lack.containerID) lacks \(lack.part): \(requests)\(app) "
        + "\(isOne ? "was" : "were") refused, "
        + "the last at \(UTCTime.text(lack.lastAt))",
      fix: "deploy the schema with 'stratus schema deploy', or change the app")
  }

  /// Creates the finding about a fault that the running server reports.
  public init(_ fault: ReadinessFault) {
    let fix =
      switch fault.name {
      case "disk-full": "free some space on the disk; reads still work"
      case "store-lost", "store-damaged":
        "stop the server, restore the file from a backup, and start the server"
      case "descriptors": "raise the limit of open files ('ulimit -n') and start the server again"
      case "disk-unwritable": "give the server's user the right to write to the data folder"
      case "s3-unreachable", "s3-unknown":
        "check S3, the network and the credentials; requests that need no files still work"
      case "tables-damaged":
        "run 'stratus doctor --postgres', which names the store; other stores still work"
      default: "read the server's log"
      }
    self = .problem(fault.name, "the running server reports that \(fault.reason)", fix: fix)
  }
}
