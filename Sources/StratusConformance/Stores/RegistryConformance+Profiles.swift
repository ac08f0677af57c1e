import StratusDomain
import StratusWire

extension RegistryConformance {
  static func profilesAreKept(_ registry: any Registry) async throws {
    _ = try await registry.create(ann)
    try expect(try await registry.profile(ofAccount: ann.id), Profile())
    for profile in [
      Profile(name: PersonName(given: "Ann", family: "Äpfel"), discoverability: .granted),
      Profile(name: PersonName(given: nil, family: "B"), discoverability: .denied), Profile(),
    ] {
      try await registry.set(profile, ofAccount: ann.id)
      try expect(try await registry.profile(ofAccount: ann.id), profile)
    }
    try await registry.setPhone("+491", verifiedBy: "https://a", ofAccount: ann.id)
    try await registry.setPhone("+492", verifiedBy: "https://b", ofAccount: ann.id)
    try expect(
      try await registry.phones(ofAccount: ann.id),
      [
        VerifiedPhone(number: "+491", issuer: "https://a"),
        VerifiedPhone(number: "+492", issuer: "https://b"),
      ])
    // A new number from the same provider replaces the earlier one. A number belongs to only one
    // account.
    try await registry.setPhone("+493", verifiedBy: "https://a", ofAccount: ann.id)
    try await registry.setPhone("+492", verifiedBy: "https://b", ofAccount: bob.id)
    try expect(
      try await registry.phones(ofAccount: ann.id),
      [VerifiedPhone(number: "+493", issuer: "https://a")])
    try await registry.setPhone(nil, verifiedBy: "https://a", ofAccount: ann.id)
    try expect(try await registry.phones(ofAccount: ann.id), [])
    try expect(
      try await registry.phones(ofAccount: bob.id),
      [VerifiedPhone(number: "+492", issuer: "https://b")])
  }

  static func usersAreDiscovered(_ registry: any Registry) async throws {
    let container = production.container
    _ = try await registry.create(ann)
    try await registry.keep(
      ContainerUser(container: container, userRecordName: "_ann", accountID: ann.id))
    try await registry.setPhone("+491", verifiedBy: "https://a", ofAccount: ann.id)
    let lookups: [ParticipantLookup] = [
      .emailAddress(ann.email), .phoneNumber("+491"), .userRecordName("_ann"),
      .emailAddress("nobody@example.org"), .phoneNumber("+499"), .userRecordName("_nobody"),
    ]
    func found(in container: String) async throws -> [String?] {
      try await registry.discoverUsers(lookups, in: container).map { $0?.userRecordName }
    }
    let none = [String?](repeating: nil, count: 6)
    try expect(try await found(in: container), none)
    for decision in [Discoverability.undecided, .denied] {
      try await registry.set(Profile(discoverability: decision), ofAccount: ann.id)
      try expect(try await found(in: container), none)
    }
    let name = PersonName(given: "Ann", family: nil)
    try await registry.set(Profile(name: name, discoverability: .granted), ofAccount: ann.id)
    try expect(try await found(in: container), ["_ann", "_ann", "_ann", nil, nil, nil])
    try expect(try await found(in: "iCloud.other"), none)
    try expect(
      try await registry.discoverUsers([lookups[1]], in: container),
      [UserIdentity(userRecordName: "_ann", name: name, lookup: lookups[1])])
    _ = try await registry.setRestricted(true, accountID: ann.id)
    try expect(try await found(in: container), none)
    _ = try await registry.setRestricted(false, accountID: ann.id)
    _ = try await registry.setDisabled(true, accountID: ann.id)
    try expect(try await found(in: container), none)
  }
}
