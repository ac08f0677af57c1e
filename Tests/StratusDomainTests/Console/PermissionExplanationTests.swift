import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `Explanations of permissions` {
  private func explain(
    _ user: String?, creator: String? = nil, roles: Set<String> = []
  ) -> [String: ExplainPermissions.Verb] {
    var schema = Schema(
      recordTypes: [
        "Note": RecordType(
          name: "Note",
          grants: RecordGrants(roles: [
            "_world": .read, "_icloud": .create, "_creator": .write, "Editor": .write,
          ]))
      ], customRoles: ["Editor"])
    if let user { schema.set(roles: roles, ofUser: user) }
    let explanation = PermissionExplanation(
      user: user, recordType: "Note", creator: creator, schema: schema)
    return Dictionary(uniqueKeysWithValues: explanation.verbs.map { ($0.verb, $0) })
  }

  @Test func `a caller without a user may only read`() {
    let verbs = explain(nil, creator: "bea")
    #expect(verbs["read"]?.isAllowed == true)
    #expect(verbs["create"]?.isAllowed == false)
    #expect(verbs["write"]?.isAllowed == false)
    #expect(verbs["write"]?.sources.allSatisfy { !$0.isAllowed } == true)
  }

  @Test func `the creator may write`() {
    #expect(explain("anna", creator: "anna")["write"]?.isAllowed == true)
    #expect(explain("anna", creator: "bea")["write"]?.isAllowed == false)
  }

  @Test func `a custom role is named as the source`() {
    let write = explain("anna", creator: "bea", roles: ["Editor"])["write"]
    #expect(write?.isAllowed == true)
    #expect(write?.sources.filter(\.isAllowed).map(\.name) == ["Editor"])
  }

  @Test(arguments: [nil, "anna"], [nil, "anna", "bea"])
  func `the sources agree with the decision`(_ user: String?, _ creator: String?) {
    for roles in [Set<String>(), ["Editor"]] {
      for verb in explain(user, creator: creator, roles: roles).values {
        #expect(verb.isAllowed == verb.sources.contains { $0.isAllowed }, "\(verb)")
      }
    }
  }
}
