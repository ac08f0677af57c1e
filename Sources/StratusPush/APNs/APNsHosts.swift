import StratusWire

/// The addresses of Apple's push service.
public struct APNsHosts: Sendable {
  /// The URL prefix for devices whose app came from the App Store.
  public var production: String
  /// The URL prefix for devices whose app came from Xcode.
  public var development: String

  /// Apple's hosts by default; a test passes its own.
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
