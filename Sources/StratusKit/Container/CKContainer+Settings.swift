public import Foundation
import StratusTransport
import StratusWire

extension CKContainer {
  /// Where a container's server is, and who uses it: an addition of Stratus, for programs that set
  /// in code what Apple's systems know by themselves.
  public struct Settings: Sendable {
    /// Which copy of a container.
    public enum Environment: String, Sendable { case development, production }

    /// The server, without the path of the web services; nil: `STRATUS_URL`, else the credentials
    /// file's, else `http://127.0.0.1:8080`, where `stratus dev` listens.
    public var url: URL?
    /// nil: `STRATUS_ENVIRONMENT`, else the credentials file's, else development.
    public var environment: Environment?
    /// nil: `STRATUS_API_TOKEN`, else the credentials file's.
    public var apiToken: String?
    /// Stands for the user; nil: `STRATUS_WEB_AUTH_TOKEN`, else the credentials file's.
    public var webAuthToken: String?
    /// Where this device keeps the key of the account's encrypted values, readable by its owner
    /// alone; nil: `STRATUS_KEYS`, else `keys.json` beside the credentials file.
    public var keysFile: URL?
    /// Where this device keeps its name for notifications, one for each program; nil:
    /// `STRATUS_STATE`, else `$XDG_STATE_HOME/stratus`, else `~/.local/state/stratus`.
    public var stateFolder: URL?

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
