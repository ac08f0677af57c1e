import StratusWire

/// Where Apple's push service answers.
public struct APNsHosts: Sendable {
  /// Begins the URLs of devices whose app came from the App Store.
  public var production: String
  /// Begins the URLs of devices whose app came from Xcode.
  public var development: String

  /// Apple's, unless a test plays Apple.
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
