import StratusDomain
import StratusWire

extension ConsoleView {
  /// Returns the part of a management endpoint's answer that the member may see.
  ///
  /// - Throws: `INTERNAL_ERROR` if the answer cannot be read.
  func part(of answer: [UInt8], to endpoint: String) throws(ServerError) -> [UInt8] {
    do throws(WireError) {
      let json = try JSONView(parsing: answer)
      switch endpoint {
      case ListRoles.path:
        if showsAccounts { return answer }
        var roles = try ListRoles.Response(json: json)
        for index in roles.users.indices { roles.users[index].email = nil }
        return roles.jsonBytes
      case FetchStatus.path:
        var status = try ServerStatus(json: json)
        status.containers.removeAll { !shows($0.id) }
        status.lacks.removeAll { !shows($0.containerID) }
        return status.jsonBytes
      case ListContainers.path:
        var list = try ListContainers.Response(json: json)
        list.containerIDs.removeAll { !shows($0) }
        return list.jsonBytes
      case ListRequests.path:
        var list = try ListRequests.Response(json: json)
        list.requests.removeAll { !shows($0.containerID) }
        return list.jsonBytes
      case FetchTelemetry.path:
        var telemetry = try FetchTelemetry.Response(json: json)
        telemetry.points.removeAll { !shows($0.containerID) }
        return telemetry.jsonBytes
      case ListAPITokens.path:
        var list = try ListAPITokens.Response(json: json)
        list.tokens.removeAll { !shows($0.containerID) }
        return list.jsonBytes
      case ListServerKeys.path:
        var list = try ListServerKeys.Response(json: json)
        list.keys.removeAll { !shows($0.containerID) }
        return list.jsonBytes
      default:
        return answer
      }
    } catch {
      throw ServerError(error)
    }
  }

  private func shows(_ container: String) -> Bool { containers?.contains(container) ?? true }
}
