import StratusDomain

/// One caller of the grant matrix.
struct MatrixCaller: Sendable {
  let name: String
  /// The caller's user record name, or nil for an anonymous caller.
  let user: String?
  let customRoles: Set<String>
  let client: Client
}

/// The grants of one configuration, and the creator of its records.
struct GrantConfiguration: Sendable {
  let number: Int
  let grants: [String: Set<String>]
  /// The index of the creator in the list of callers.
  let creator: Int
}

/// The rights of one caller, computed directly from the rules for grants: the permissions of all
/// roles of the caller add up, and WRITE includes READ.
struct Rights {
  let reads: Bool
  let writes: Bool
  let creates: Bool
  /// Whether the caller may read the records that the caller created.
  let readsOwn: Bool

  init(of caller: MatrixCaller, isCreator: Bool, in configuration: GrantConfiguration) {
    func verbs(_ isCreator: Bool) -> Set<String> {
      var verbs = configuration.grants["_world"] ?? []
      guard caller.user != nil else { return verbs }
      verbs.formUnion(configuration.grants["_icloud"] ?? [])
      if isCreator { verbs.formUnion(configuration.grants["_creator"] ?? []) }
      for role in caller.customRoles { verbs.formUnion(configuration.grants[role] ?? []) }
      return verbs
    }
    let held = verbs(isCreator)
    writes = held.contains("WRITE")
    reads = writes || held.contains("READ")
    // A caller is the creator of each record that it creates.
    creates = verbs(true).contains("CREATE")
    readsOwn = !verbs(true).isDisjoint(with: ["READ", "WRITE"])
  }
}

/// One cell of the grant matrix: a verb, such as `lookup`, and its expected or actual result.
struct GrantCell: Hashable {
  let verb: String
  let result: String
}

/// The results that a caller must get.
enum GrantOracle {
  static func cells(_ rights: Rights) -> [GrantCell] {
    let refusal = rights.reads ? "ACCESS_DENIED" : "NOT_FOUND"
    let write = rights.writes ? "ok" : refusal
    // A record that the caller may not read is handled like a missing record. If the operation
    // would then create the record, the answer cannot hide that the name is taken.
    let isHidden = !rights.reads && rights.creates
    let force = rights.writes ? "ok" : isHidden ? "NOT_FOUND" : "ACCESS_DENIED"
    let conflict = rights.writes ? "CONFLICT with record" : refusal
    let taken =
      rights.reads ? "CONFLICT with record" : rights.creates ? "CONFLICT" : "ACCESS_DENIED"
    let upload = rights.writes || isHidden
    return reading(rights) + [
      GrantCell(verb: "create", result: rights.creates ? "ok" : "ACCESS_DENIED"),
      GrantCell(verb: "create a taken name", result: taken),
      GrantCell(verb: "update", result: write),
      GrantCell(verb: "update with an old tag", result: conflict),
      GrantCell(verb: "replace", result: write),
      GrantCell(verb: "forceUpdate", result: force),
      GrantCell(verb: "forceReplace", result: force),
      GrantCell(verb: "delete", result: write),
      GrantCell(
        verb: "forceDelete",
        result: rights.writes ? "deleted" : rights.reads ? "ACCESS_DENIED" : "deleted nothing"),
      GrantCell(
        verb: "reference",
        result: !rights.creates
          ? "ACCESS_DENIED" : rights.reads ? "ok" : "VALIDATING_REFERENCE_ERROR"),
      GrantCell(verb: "upload", result: upload ? "ok" : "ACCESS_DENIED"),
      GrantCell(verb: "upload for a new record", result: rights.creates ? "ok" : "ACCESS_DENIED"),
      GrantCell(verb: "rereference", result: rights.reads ? "ok" : "NOT_FOUND"),
      GrantCell(
        verb: "subscribe", result: rights.reads || rights.readsOwn ? "ok" : "ACCESS_DENIED"),
      GrantCell(verb: "notification", result: rights.reads ? "notified" : "not notified"),
    ]
  }

  /// The expected results of the verbs that need no signed-in user.
  static func reading(_ rights: Rights) -> [GrantCell] {
    let found = rights.reads ? "found" : rights.readsOwn ? "not found" : "ACCESS_DENIED"
    return [
      GrantCell(verb: "lookup", result: rights.reads ? "found" : "like a missing record"),
      GrantCell(verb: "query", result: found),
      GrantCell(verb: "count", result: found),
    ]
  }

  static let anonymousWrites = ["modify", "upload", "rereference", "subscribe"].map {
    GrantCell(verb: $0, result: "AUTHENTICATION_REQUIRED")
  }
}
