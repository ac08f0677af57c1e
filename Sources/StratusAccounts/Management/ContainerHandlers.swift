import StratusDomain
import StratusWire

/// Answers ``CreateContainer``.
struct CreateContainerHandler: ManagementHandler {
  typealias Endpoint = CreateContainer

  let accounts: Accounts

  func answer(_ request: CreateContainer.Request) async throws(ServerError) -> EmptyRequest {
    try ContainerName.check(request.containerID)
    guard try await accounts.registry.createContainer(id: request.containerID) else {
      throw .badRequest("container '\(request.containerID)' exists already")
    }
    accounts.audit.noteChange("made the container '\(request.containerID)'")
    return EmptyRequest()
  }
}

/// Answers ``DeleteContainer``.
struct DeleteContainerHandler: ManagementHandler {
  typealias Endpoint = DeleteContainer

  let accounts: Accounts
  /// Removes a container's files.
  let deleteStores: @Sendable (_ container: String) async throws(ServerError) -> Void

  func answer(_ request: DeleteContainer.Request) async throws(ServerError) -> EmptyRequest {
    try await accounts.requireContainer(request.containerID)
    // NB: the files are deleted first. If the registry then fails, the container is still listed
    // and can be deleted again. If the registry came first and the files could not be deleted, a
    // new container with this name would get the old data.
    try await deleteStores(request.containerID)
    _ = try await accounts.registry.deleteContainer(id: request.containerID)
    accounts.memory.forget()
    accounts.audit.noteChange("deleted the container '\(request.containerID)'")
    return EmptyRequest()
  }
}

/// Answers ``ListContainers``.
struct ListContainersHandler: ManagementHandler {
  typealias Endpoint = ListContainers

  let accounts: Accounts

  func answer(
    _ request: ListContainers.Request
  ) async throws(ServerError) -> ListContainers.Response {
    ListContainers.Response(containerIDs: try await accounts.registry.containers())
  }
}

extension Accounts {
  /// - Throws: `NOT_FOUND` if there is no such container.
  func requireContainer(_ id: String) async throws(ServerError) {
    guard try await registry.containers().contains(id) else {
      throw ServerError(
        .notFound,
        "there is no container '\(id.prefix(64))'; make it with 'stratus container create'")
    }
  }
}
