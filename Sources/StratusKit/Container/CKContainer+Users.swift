import Foundation
import StratusTransport

/// Whether a container can be used with the present account.
public enum CKAccountStatus: Int, Sendable {
  /// The status is not known, for example because the server did not answer.
  case couldNotDetermine = 0
  /// An account is signed in and can be used.
  case available = 1
  /// The account is disabled or restricted.
  case restricted = 2
  /// No account is signed in, or the server does not accept its token.
  case noAccount = 3
  /// The session has ended; the user must sign in again.
  case temporarilyUnavailable = 4
}

extension CKContainer {
  /// Sends the container's own requests.
  var calls: ContainerCalls { ContainerCalls(path: path, options: callOptions) }

  var callOptions: Connection.Options {
    let shared = overrides.group?.defaultConfiguration.explicit
    let configuration = overrides.configuration
    return Connection.Options(
      shared.map(configuration.completed(by:)) ?? configuration,
      operationID: nil, group: overrides.group)
  }

  /// Returns whether an account can be used. The status is `available` if the server accepts the
  /// web auth token.
  ///
  /// Choice: returns `couldNotDetermine` without an error if the server cannot be reached. The form
  /// with a completion handler passes both the status and the error.
  public func accountStatus() async throws -> CKAccountStatus {
    await determineAccountStatus().status
  }

  /// Returns whether an account can be used. The status is `available` if the server accepts the
  /// web auth token.
  @preconcurrency
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    Task {
      let (status, error) = await determineAccountStatus()
      completionHandler(status, error)
    }
  }

  private func determineAccountStatus() async -> (status: CKAccountStatus, error: CKError?) {
    do {
      _ = try await calls.fetchCaller()
      return (.available, nil)
    } catch {
      switch error.code {
      case .notAuthenticated: return (.noAccount, nil)
      case .accountTemporarilyUnavailable: return (.temporarilyUnavailable, nil)
      case .managedAccountRestricted: return (.restricted, nil)
      default: return (.couldNotDetermine, error)
      }
    }
  }

  /// Returns the ID of the user's own record.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  public func userRecordID() async throws -> CKRecord.ID {
    CKRecord.ID(recordName: try await calls.fetchCaller())
  }

  /// Returns the ID of the user's own record.
  @preconcurrency
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    Task {
      do {
        completionHandler(try await userRecordID(), nil)
      } catch {
        completionHandler(nil, error)
      }
    }
  }
}
