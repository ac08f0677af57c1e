import StratusWire
import Testing

@testable import StratusDomain

private let development = ConsoleSubject(containerID: "c", environment: .development)
private let production = ConsoleSubject(containerID: "c", environment: .production)
private let dryRun = ConsoleSubject(
  containerID: "c", environment: .production, isDryRun: true)

@Suite struct `Permissions of the console` {
  @Test(arguments: [
    ("schema/change", development, ConsolePermission.schema),
    ("schema/change", production, .deploy), ("schema/change", dryRun, .schemaRead),
    ("schema/change", ConsoleSubject(), .deploy), ("schema/retire", production, .deploy),
    ("schema/retire", development, .schema), ("schema/reset", development, .schema),
    ("roles/grant", development, .grants), ("status", ConsoleSubject(), .status),
    ("accounts/disable", ConsoleSubject(), .users),
    ("containers/delete", ConsoleSubject(), .operation),
  ])
  func `each endpoint of the console needs one permission`(
    _ path: String, _ subject: ConsoleSubject, _ permission: ConsolePermission
  ) {
    #expect(ConsolePermission.forManagement(path, subject) == permission)
  }

  @Test(arguments: ["web-tokens/create", "accounts/configure", "web-tokens/rotate-key", "", "x"])
  func `the console does not offer endpoints that only commands use`(_ path: String) {
    #expect(ConsolePermission.forManagement(path, development) == nil)
  }

  @Test func `only an owner manages the team, deploys to production and grants roles`() {
    for role in TeamRole.allCases {
      #expect(role.permissions.contains(.deploy) == (role == .owner))
      #expect(role.permissions.contains(.team) == (role == .owner))
      #expect(role.permissions.contains(.grants) == (role == .owner))
    }
  }

  @Test func `operators and auditors see no records`() {
    #expect(!TeamRole.operator.permissions.contains(.records))
    #expect(!TeamRole.auditor.permissions.contains(.records))
  }

  @Test func `an auditor changes nothing`() {
    #expect(TeamRole.auditor.permissions == [.status, .schemaRead, .requests, .audit])
  }

  @Test func `the console offers every endpoint that is in a list of permissions`() {
    let all = ConsolePermission.inOneContainer.union(ConsolePermission.listsContainers)
      .union(ConsolePermission.reads)
    for path in all {
      #expect(ConsolePermission.forManagement(path, development) != nil, "\(path)")
    }
  }

  @Test func `the console reads from a request's body whether a change is a dry run`() throws {
    let body = Array(#"{"containerID": "c", "environment": "production", "isDryRun": true}"#.utf8)
    #expect(try ConsoleSubject(json: JSONView(parsing: body)) == dryRun)
  }
}
