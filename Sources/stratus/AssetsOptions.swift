import ArgumentParser
import Foundation
import StratusServer

/// The option for the storage of the bytes of assets.
struct AssetsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Keep the bytes of assets in this bucket of an S3-compatible storage, which several servers \
      may share. '?endpoint=https://host:port' names the storage, and '&region=' its region. With \
      '&presigned-downloads=yes', clients download from the storage. The credentials come from \
      AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from ~/.aws/credentials.
      """,
      valueName: "s3://bucket/prefix"))
  var assets: String?

  /// - Throws: `Failure` for an address that cannot be used.
  func access() throws -> S3Access? {
    guard let assets else { return nil }
    do throws(S3Unusable) {
      return try S3Access(url: assets, environment: ProcessInfo.processInfo.environment)
    } catch {
      throw Failure(error.description)
    }
  }
}
