import StratusWire

/// Answers ``ConfigureContainer``.
struct ConfigureContainerHandler: ManagementHandler {
  typealias Endpoint = ConfigureContainer

  let stores: any StoreCatalog
  let containers: any ContainerRegistry

  func answer(
    _ request: ConfigureContainer.Request
  ) async throws(ServerError) -> ConfigureContainer.Response {
    guard try await containers.containers().contains(request.containerID) else {
      throw ServerError(.notFound, Reason.containerNotFound)
    }
    let store = try await stores.store(
      at: StoreAddress(container: request.containerID, environment: request.environment))
    let settings = try await store.write { (store) throws(ServerError) in
      let old = try store.schema().settings
      var new = old
      if let allows = request.allowsQueryExtensions { new.allowsQueryExtensions = allows }
      if let requires = request.requiresReferenceTargets {
        new.requiresReferenceTargets = requires
      }
      if new != old { try store.set(new) }
      return new
    }
    return ConfigureContainer.Response(
      allowsQueryExtensions: settings.allowsQueryExtensions,
      requiresReferenceTargets: settings.requiresReferenceTargets)
  }
}
