import Foundation
import S3Server

/// `stratus-s3 [PORT]` runs the tests' own S3 server until the process ends. The credentials come
/// from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. The bucket is called `assets`. The objects
/// are kept in the folder `STRATUS_S3_FOLDER`, if it is set.
@main
struct Program {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    var settings = S3Server.Settings(now: { Int64(Date().timeIntervalSince1970 * 1_000) })
    guard let id = environment["AWS_ACCESS_KEY_ID"],
      let secret = environment["AWS_SECRET_ACCESS_KEY"]
    else {
      FileHandle.standardError.write(
        Data("Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\n".utf8))
      exit(1)
    }
    (settings.accessKeyID, settings.secretAccessKey) = (id, secret)
    settings.folder = environment["STRATUS_S3_FOLDER"]
    settings.port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 0
    try await S3Server.running(settings) { server in
      FileHandle.standardOutput.write(Data("ready at \(server.url)\n".utf8))
      let (forever, _) = AsyncStream<Void>.makeStream()
      for await _ in forever {}
    }
  }
}
