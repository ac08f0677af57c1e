import StratusWire

extension CKContainer {
  /// The permissions for which an app may ask its user.
  public struct ApplicationPermissions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Other users of the app can find the user. Apple has deprecated this permission.
    public static var userDiscoverability: CKContainer.ApplicationPermissions {
      ApplicationPermissions(rawValue: 1)
    }
  }

  /// The user's decision about a permission. Apple has deprecated this type.
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user has not decided.
    case initialState = 0
    /// The decision could not be fetched.
    case couldNotComplete = 1
    /// The user has refused.
    case denied = 2
    /// The user has agreed.
    case granted = 3
  }

  /// Receives a status. Apple has deprecated this type.
  public typealias ApplicationPermissionBlock =
    @Sendable (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void

  /// Contains earlier names of types.
  public enum Application {
    /// The earlier name of ``CKContainer/ApplicationPermissions``.
    public typealias Permissions = CKContainer.ApplicationPermissions
    /// The earlier name of ``CKContainer/ApplicationPermissionStatus``.
    public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
    /// The earlier name of ``CKContainer/ApplicationPermissionBlock``.
    public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
  }

  /// Returns the user's decision about a permission.
  ///
  /// Choice: the decision holds for all apps of the user's account.
  /// - Throws: `CKError.notAuthenticated` if no user is signed in; `CKError.invalidArguments` if
  ///   the permission is not ``ApplicationPermissions/userDiscoverability``.
  public func applicationPermissionStatus(
    for applicationPermission: CKContainer.ApplicationPermissions
  ) async throws -> CKContainer.ApplicationPermissionStatus {
    guard applicationPermission == .userDiscoverability else {
      throw CKError.malformed("userDiscoverability is the only permission")
    }
    return Self.status(of: try await calls.fetchDiscoverability())
  }

  // NB: this function and `fetchDiscoverability` are not inlined, because the optimizer of Swift
  // 6.3.1 crashes when both are parts of one async function.
  @inline(never)
  private static func status(of decision: Discoverability) -> ApplicationPermissionStatus {
    switch decision {
    case .granted: .granted
    case .denied: .denied
    case .undecided: .initialState
    }
  }

  /// Fetches the user's decision about a permission; see ``applicationPermissionStatus(for:)``.
  @preconcurrency
  public func status(
    forApplicationPermission applicationPermission: CKContainer.ApplicationPermissions,
    completionHandler: @escaping CKContainer.ApplicationPermissionBlock
  ) {
    Task {
      do {
        completionHandler(try await applicationPermissionStatus(for: applicationPermission), nil)
      } catch {
        completionHandler(.couldNotComplete, error)
      }
    }
  }

  /// Returns the user's decision about a permission.
  ///
  /// Choice: the method shows nothing, and it never changes the decision, because any program with
  /// the user's token could call it. The user decides on the server's account page. Until then,
  /// the status is `initialState`.
  public func requestApplicationPermission(
    _ applicationPermission: CKContainer.ApplicationPermissions
  ) async throws -> CKContainer.ApplicationPermissionStatus {
    try await applicationPermissionStatus(for: applicationPermission)
  }

  /// Fetches the user's decision about a permission; see ``requestApplicationPermission(_:)``.
  @preconcurrency
  public func requestApplicationPermission(
    _ applicationPermission: CKContainer.ApplicationPermissions,
    completionHandler: @escaping CKContainer.ApplicationPermissionBlock
  ) {
    status(forApplicationPermission: applicationPermission, completionHandler: completionHandler)
  }
}

/// The earlier name of ``CKContainer/ApplicationPermissions``.
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
/// The earlier name of ``CKContainer/ApplicationPermissionStatus``.
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The earlier name of ``CKContainer/ApplicationPermissionBlock``.
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
