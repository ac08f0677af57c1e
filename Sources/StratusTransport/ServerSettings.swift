public import Foundation
public import StratusWire

/// The address of the server, and the caller's credentials.
public struct ServerSettings: Sendable, Hashable {
  /// The URL of the server without the path of the web services, for example
  /// `https://cloud.example.org`.
  public var url: URL?
  public var container: String?
  public var environment: ContainerEnvironment?
  public var apiToken: String?
  public var webAuthToken: String?
  /// The ``Connection/accountDigest`` of the sign-in if the token was renewed since then. nil means
  /// that the token comes directly from a new sign-in.
  public var signIn: String?
  /// The file in which this device saves the keys of encrypted values.
  public var keysFile: URL?
  /// The folder for data that must outlast the process. See ``StateFolder``.
  public var stateFolder: URL?

  public init(
    url: URL? = nil, container: String? = nil, environment: ContainerEnvironment? = nil,
    apiToken: String? = nil, webAuthToken: String? = nil, keysFile: URL? = nil,
    stateFolder: URL? = nil, signIn: String? = nil
  ) {
    self.signIn = signIn
    self.url = url
    self.container = container
    self.environment = environment
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    self.keysFile = keysFile
    self.stateFolder = stateFolder
  }

  /// Reads the settings from the environment variables of a process. An invalid value counts as
  /// absent.
  public init(environmentVariables variables: [String: String]) {
    func value(_ name: String) -> String? {
      variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(
      url: value("STRATUS_URL").flatMap(URL.init(string:)),
      container: value("STRATUS_CONTAINER"),
      environment: value("STRATUS_ENVIRONMENT").flatMap(ContainerEnvironment.init),
      apiToken: value("STRATUS_API_TOKEN"),
      webAuthToken: value("STRATUS_WEB_AUTH_TOKEN"),
      keysFile: DeviceKeys.location(environmentVariables: variables),
      stateFolder: StateFolder.location(environmentVariables: variables))
  }

  /// Returns these settings, with missing values taken from `other`.
  public func completed(by other: ServerSettings) -> ServerSettings {
    ServerSettings(
      url: url ?? other.url,
      container: container ?? other.container,
      environment: environment ?? other.environment,
      apiToken: apiToken ?? other.apiToken,
      webAuthToken: webAuthToken ?? other.webAuthToken,
      keysFile: keysFile ?? other.keysFile,
      stateFolder: stateFolder ?? other.stateFolder,
      signIn: webAuthToken == nil ? other.signIn : signIn)
  }
}
