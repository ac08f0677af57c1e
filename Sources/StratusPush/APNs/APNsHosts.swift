import StratusWire

/// The addresses of Apple's push service.
public struct APNsHosts: Sendable {
  /// The URL prefix for devices whose app was installed from the App Store.
  public var production: String
  /// The URL prefix for devices whose app was installed from Xcode.
  public var development: String

  /// Creates the addresses. By default, they are Apple's hosts. A test passes its own hosts.
  public init(
    production: String = "https://api.push.apple.com",
    development: String = "https://api.sandbox.push.apple.com"
  ) {
    self.production = production
    self.development = development
  }

  func base(of environment: ContainerEnvironment) -> String {
    switch environment {
    case .production: production
    case .development: development
    }
  }
}
