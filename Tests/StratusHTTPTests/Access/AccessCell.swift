/// The kinds of callers of the authorization matrix.
enum AccessCaller: String, CaseIterable, Sendable {
  /// The request has no credentials.
  case anonymous
  /// The request has only an API token.
  case apiToken
  /// The request comes from a web page that the API token does not allow.
  case wrongOrigin
  /// The session of the web auth token has expired.
  case expired
  /// The operator has ended the session of the web auth token.
  case revoked
  case disabled, restricted
  /// The user who owns the private things that other callers try to reach.
  case owner
  case otherUser
  /// A user with the custom role *Editor*.
  case roleHolder
  /// The creator of the public records that the caller ``owner`` tries to reach. All other callers
  /// try to reach the things of ``owner``.
  case creator
  case serverKey
  /// The request has the operator's management token and no other credentials.
  case management
  /// A member of the team with the team role *operator*, in the console.
  case consoleOperator
  /// A member of the team with the team role *developer*, in the console.
  case consoleDeveloper

  /// Whether the caller has an account of the server.
  var hasAccount: Bool {
    switch self {
    case .anonymous, .apiToken, .serverKey, .management: false
    case .wrongOrigin, .expired, .revoked, .disabled, .restricted, .owner, .otherUser, .roleHolder,
      .creator, .consoleOperator, .consoleDeveloper:
      true
    }
  }

  /// Whether the caller is a user of the container.
  var isUser: Bool { hasAccount || self == .serverKey }

  /// Whether the caller sends its requests to the console.
  var isInConsole: Bool { self == .consoleOperator || self == .consoleDeveloper }

  /// The caller's victim: the user whose things the caller tries to reach.
  var victim: AccessCaller { self == .owner ? .creator : .owner }

  var email: String { "\(rawValue.lowercased())@example.org" }

  /// Whether other users may find the caller by an address or a record name.
  var isFound: Bool { [.owner, .otherUser, .disabled, .restricted].contains(self) }
}

/// Whose thing a request of the matrix is about: the caller's own, another user's, or one that does
/// not exist.
enum AccessSubject: String, CaseIterable, Sendable {
  case own, others, absent
  /// The requests of the endpoint are not about a thing that a user owns.
  case none
}

enum AccessDatabase: String, CaseIterable, Sendable {
  case `public`, `private`, shared
  /// A path about devices, which names no database.
  case device
}

/// The record types of the public database. Each type has different grants.
enum AccessType: String, CaseIterable, Sendable {
  /// Everyone reads, signed-in users create, and creators write: the grants of a new record type.
  case note = "Note"
  /// Only editors read, create and write.
  case board = "Board"
  /// Signed-in users create, and only creators read and write.
  case diary = "Diary"

  /// The permissions of each role, in the words of the schema language.
  var grants: [String: Set<String>] {
    switch self {
    case .note: ["_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"]]
    case .board: ["Editor": ["READ", "CREATE", "WRITE"]]
    case .diary: ["_icloud": ["CREATE"], "_creator": ["READ", "WRITE"]]
    }
  }
}

/// One cell of the authorization matrix.
struct AccessCell: Sendable, CustomStringConvertible {
  let caller: AccessCaller
  let attempt: AccessAttempt
  let database: AccessDatabase
  let subject: AccessSubject
  let type: AccessType

  var description: String {
    "\(caller) \(attempt.name) in \(database), \(subject), \(type.rawValue)"
  }

  /// The name of a record that no other cell uses.
  var recordName: String {
    let thing = "\(database)-\(subject)-\(type.rawValue)-\(attempt.name)"
    return "\(caller)-\(thing.replacing(" ", with: "-").replacing("/", with: "-"))"
  }

  /// All possible cells. A caller that is not a user owns nothing, so it has no cells about its own
  /// things.
  static let all: [AccessCell] = AccessCaller.allCases.flatMap { caller in
    AccessAttempt.all.flatMap { attempt in
      attempt.databases.flatMap { database in
        let types = attempt.isAboutRecords && database == .public ? AccessType.allCases : [.note]
        return attempt.subjects.filter { $0 != .own || caller.isUser }.flatMap { subject in
          types.map {
            AccessCell(
              caller: caller, attempt: attempt, database: database, subject: subject, type: $0)
          }
        }
      }
    }
  }
}
