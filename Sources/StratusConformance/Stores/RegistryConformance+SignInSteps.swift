import StratusDomain

extension RegistryConformance {
  private static func step(
    _ number: UInt8, _ kind: SignInStep.Kind = .device, _ subscriber: String = "192.0.2.7",
    endsAt: Int64 = 100
  ) -> SignInStep {
    SignInStep(
      kind: kind, hash: [number], subscriber: subscriber, sealedState: [0, number, 255],
      endsAt: endsAt)
  }

  static func stepsAreKept(_ registry: any Registry) async throws {
    let (first, second) = (step(1), step(1, .userCode))
    try expect(try await registry.create([first, second], within: nil, at: 1), true)
    // No step is stored if one of them exists already.
    try expect(try await registry.create([step(2), second], within: nil, at: 1), false)
    try expect(try await registry.signInStep(.device, hash: [2]), nil)
    try expect(try await registry.signInStep(.device, hash: [1]), first)
    try expect(try await registry.signInStep(.userCode, hash: [1]), second)
    try expect(try await registry.signInStep(.used, hash: [1]), nil)
    // Of two changes that expect the same contents, only the first one succeeds.
    for isFirst in [true, false] {
      try expect(try await registry.replace(first, by: [9]), isFirst)
    }
    try expect(try await registry.delete(first), false)
    let changed = try await registry.signInStep(.device, hash: [1])
    try expect(changed?.sealedState, [9])
    if let changed {
      for isFirst in [true, false] {
        try expect(try await registry.delete(changed), isFirst)
      }
    }
    try expect(try await registry.signInStep(.userCode, hash: [1]), second)
    try await registry.deleteSignInSteps(endedBefore: 100)
    try expect(try await registry.signInStep(.userCode, hash: [1]), second)
    try await registry.deleteSignInSteps(endedBefore: 101)
    try expect(try await registry.signInStep(.userCode, hash: [1]), nil)
  }

  static func stepsAreBounded(_ registry: any Registry) async throws {
    let bounds = SignInStepBounds(countMax: 3, countPerSubscriberMax: 2)
    func create(_ step: SignInStep, at now: Int64 = 50) async throws -> Bool {
      try await registry.create([step], within: bounds, at: now)
    }
    try expect(try await create(step(1)), true)
    try expect(try await create(step(2)), true)
    try expect(try await create(step(3)), false)
    try expect(try await create(step(3, .userCode)), true)
    try expect(try await create(step(4, .device, "192.0.2.8")), true)
    try expect(try await create(step(5, .device, "192.0.2.9")), false)
    // Steps that have ended do not count.
    try expect(try await create(step(5, endsAt: 200), at: 101), true)
  }
}
