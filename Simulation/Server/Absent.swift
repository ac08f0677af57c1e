import StratusDomain
import StratusWire

/// An authentication that accepts a token as the name of its user.
struct TokenIsUser: Authentication {
  func admit(_ request: AdmissionRequest) async throws(ServerError) -> Admission {
    Admission(principal: .user(request.credentials.webAuthToken))
  }

  func disabledUsers(of container: String) async throws(ServerError) -> Set<String> { [] }
  func endedSessions(among ids: Set<String>) async throws(ServerError) -> Set<String> { [] }
}

/// A registry in which every container exists.
struct EveryContainer: ContainerRegistry {
  func createContainer(id: String) async throws(ServerError) -> Bool { false }
  func containers() async throws(ServerError) -> [String] { [Cloud.container] }
  func deleteContainer(id: String) async throws(ServerError) -> Bool { false }
}

/// An asset store without files, because the simulation has no assets.
struct NoAssets: AssetStore {
  func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    throw .fault("the simulation has no files")
  }

  func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus { AssetUploadStatus(received: 0) }

  func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {}

  func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {}

  func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? { nil }

  func remove(file: String, at address: StoreAddress) async throws(ServerError) {}

  func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] { [] }
}

/// A signer that neither signs nor encrypts, because the simulation has no files and no hostile
/// clients.
struct NoTickets: TicketSigner {
  func signature(of bytes: [UInt8]) -> [UInt8] { [] }
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool { false }
  func encrypted(_ bytes: [UInt8]) -> [UInt8] { bytes }
  func decrypted(_ bytes: [UInt8]) -> [UInt8]? { bytes }
}
