public import Foundation
import StratusTransport
import StratusWire

extension CKContainer {
  /// The server of a container, and the credentials for this server. The type is an addition of
  /// Stratus. It is for programs that set in code what Apple's systems configure themselves.
  public struct Settings: Sendable {
    /// The environment of a container. Each environment has its own data.
    public enum Environment: String, Sendable {
      /// The first save of a new record type or field adds it to the schema.
      case development
      /// Only deployed record types and fields can be saved.
      case production
    }

    /// The server's URL, without the path of the web services. If the property is nil, the URL
    /// comes from `STRATUS_URL` or else from the credentials file. Without both, the URL is
    /// `http://127.0.0.1:8080`, the default address of `stratus dev`.
    public var url: URL?
    /// The environment. If the property is nil, the environment comes from `STRATUS_ENVIRONMENT` or
    /// else from the credentials file. Without both, it is the development environment.
    public var environment: Environment?
    /// The API token. If the property is nil, the token comes from `STRATUS_API_TOKEN` or else from
    /// the credentials file.
    public var apiToken: String?
    /// The web auth token, which identifies the user. If the property is nil, the token comes from
    /// `STRATUS_WEB_AUTH_TOKEN` or else from the credentials file.
    public var webAuthToken: String?
    /// The file with this device's keys for encrypted values. Only the owner of the file can read
    /// it. If the property is nil, `STRATUS_KEYS` names the file. Without that variable, the file
    /// is `keys.json` beside the credentials file.
    public var keysFile: URL?
    /// The folder in which the device saves its long-lived operations and its device names. The
    /// server knows the device by these names, one for each program on the device. If the property
    /// is nil, `STRATUS_STATE` names the folder. Without that variable, the folder is
    /// `$XDG_STATE_HOME/stratus`, or else `~/.local/state/stratus`.
    public var stateFolder: URL?

    /// Makes settings. Settings that are nil come from environment variables, the credentials file,
    /// or the defaults.
    public init(
      url: URL? = nil, environment: Environment? = nil, apiToken: String? = nil,
      webAuthToken: String? = nil, keysFile: URL? = nil,
      stateFolder: URL? = nil
    ) {
      self.url = url
      self.environment = environment
      self.apiToken = apiToken
      self.webAuthToken = webAuthToken
      self.keysFile = keysFile
      self.stateFolder = stateFolder
    }

    func wire(container: String) -> ServerSettings {
      ServerSettings(
        url: url, container: container,
        environment: environment.flatMap { ContainerEnvironment(rawValue: $0.rawValue) },
        apiToken: apiToken, webAuthToken: webAuthToken, keysFile: keysFile,
        stateFolder: stateFolder)
    }
  }
}
