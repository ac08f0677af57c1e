public import Foundation
import StratusTransport
import StratusWire

extension CKContainer {
  /// The server of a container, and its credentials. This is an addition of Stratus, for programs
  /// that set in code what Apple's systems configure themselves.
  public struct Settings: Sendable {
    /// The environment of a container. Each has its own data.
    public enum Environment: String, Sendable {
      /// The first save of a record type or a field creates it.
      case development
      /// Only deployed record types and fields can be saved.
      case production
    }

    /// The server's URL, without the path of the web services; nil: `STRATUS_URL`, else the
    /// credentials file's, else `http://127.0.0.1:8080`, the default address of `stratus dev`.
    public var url: URL?
    /// The environment; nil: `STRATUS_ENVIRONMENT`, else the credentials file's, else development.
    public var environment: Environment?
    /// The API token; nil: `STRATUS_API_TOKEN`, else the credentials file's.
    public var apiToken: String?
    /// The user's token; nil: `STRATUS_WEB_AUTH_TOKEN`, else the credentials file's.
    public var webAuthToken: String?
    /// The file with this device's keys for encrypted values, which only its owner can read; nil:
    /// `STRATUS_KEYS`, else `keys.json` beside the credentials file.
    public var keysFile: URL?
    /// The folder in which this device saves its names for notifications; each program has its own
    /// name. nil: `STRATUS_STATE`, else `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`.
    public var stateFolder: URL?

    /// Makes settings. Settings that are nil come from the environment or the credentials file.
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
