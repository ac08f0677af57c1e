public import Foundation

/// Everything about a server that can be set.
public struct Settings: Sendable {
  /// Where all data lies.
  public var dataFolder: URL
  /// The address to listen on.
  public var host: String
  /// 0: any free one.
  public var port: Int
  /// The e-mail of the account that a server for developers signs in; nil: an ordinary server.
  public var developerEmail: String?

  public init(
    dataFolder: URL, host: String = "127.0.0.1", port: Int = 8080, developerEmail: String? = nil
  ) {
    self.dataFolder = dataFolder
    self.host = host
    self.port = port
    self.developerEmail = developerEmail
  }
}
