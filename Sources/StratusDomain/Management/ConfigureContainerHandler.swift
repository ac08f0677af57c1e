import StratusWire

/// Answers ``ConfigureContainer``.
struct ConfigureContainerHandler: ManagementHandler {
  typealias Endpoint = ConfigureContainer

  let stores: any StoreCatalog
  let containers: any ContainerRegistry
  let ambient: Ambient

  func answer(
    _ request: ConfigureContainer.Request
  ) async throws(ServerError) -> ConfigureContainer.Response {
    guard try await containers.containers().contains(request.containerID) else {
      throw ServerError(.notFound, Reason.containerNotFound)
    }
    if let days = request.versionDays, !(0...Limits.versionDaysMax).contains(days) {
      throw .badRequest("versions are kept for 0 to \(Limits.versionDaysMax) days")
    }
    let now = ambient.now()
    let (appURL, fallbackURL) = (
      try ShareLinkTarget.checked(request.shareAppURL, isWebPage: false),
      try ShareLinkTarget.checked(request.shareFallbackURL, isWebPage: true)
    )
    let store = try await stores.store(
      at: StoreAddress(container: request.containerID, environment: request.environment))
    let settings = try await store.write { (store) throws(ServerError) in
      let old = try store.schema().settings
      var new = old
      if let allows = request.allowsQueryExtensions { new.allowsQueryExtensions = allows }
      if let requires = request.requiresReferenceTargets {
        new.requiresReferenceTargets = requires
      }
      new.shareAppURL = appURL.replacing(old.shareAppURL)
      new.shareFallbackURL = fallbackURL.replacing(old.shareFallbackURL)
      if let mails = request.mailsInvitations { new.mailsInvitations = mails }
      if let days = request.versionDays { new.versionDays = days == 0 ? nil : days }
      if new != old { try store.set(new) }
      if old.versionDays == nil, new.versionDays != nil { try store.beginVersions(at: now) }
      return new
    }
    return ConfigureContainer.Response(
      allowsQueryExtensions: settings.allowsQueryExtensions,
      requiresReferenceTargets: settings.requiresReferenceTargets,
      shareAppURL: settings.shareAppURL, shareFallbackURL: settings.shareFallbackURL,
      mailsInvitations: settings.mailsInvitations, versionDays: settings.versionDays)
  }
}

/// The change of a URL to which the page of a share links.
enum ShareLinkTarget: Sendable, Hashable {
  case unchanged
  case removed
  case set(String)

  /// Schemes that a link of the server's own page must never have.
  private static let forbidden: Set<Substring> = [
    "about", "blob", "data", "file", "filesystem", "javascript", "vbscript",
  ]

  /// - Parameter text: the URL of the request. nil leaves the setting unchanged, and an empty text
  ///   removes it.
  /// - Throws: `BAD_REQUEST` unless the text is empty, or is an absolute URL that has a permitted
  ///   scheme and is not too long.
  static func checked(
    _ text: String?, isWebPage: Bool
  ) throws(ServerError) -> ShareLinkTarget {
    guard let text else { return .unchanged }
    if text.isEmpty { return .removed }
    let scheme = Substring(text.prefix { $0 != ":" }.lowercased())
    let isScheme =
      scheme.first?.isLetter ?? false
      && scheme.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || "+-.".utf8.contains(byte)
      }
    guard isScheme, text.utf8.count <= Limits.shareURLBytesMax,
      text.dropFirst(scheme.count).hasPrefix("://"),
      // URLs have no other characters. The page appends the share's URL to this one.
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"#<>\\^`{|}".utf8.contains($0) })
    else {
      throw .badRequest("the URL of an app or a web page has a scheme, such as trips://open?share=")
    }
    if forbidden.contains(scheme) {
      throw .badRequest("the URL of an app cannot have the scheme '\(scheme)'")
    }
    if isWebPage, scheme != "https", scheme != "http" {
      throw .badRequest("the fallback URL begins with https://")
    }
    return .set(text)
  }

  /// Returns the new value of the setting whose present value is `old`.
  func replacing(_ old: String?) -> String? {
    switch self {
    case .unchanged: old
    case .removed: nil
    case .set(let url): url
    }
  }
}
