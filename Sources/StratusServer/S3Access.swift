import Foundation
import StratusAssets
import StratusDomain
public import StratusWire

/// The reason why assets cannot be in S3, as a sentence for the operator.
public struct S3Unusable: Error, CustomStringConvertible {
  public let description: String
}

/// The access to S3-compatible storage for the bytes of assets.
public struct S3Access: Sendable {
  let location: S3Location
  let credentials: S3CredentialSource

  /// - Parameters:
  ///   - url: the bucket and the endpoint, as in ``S3Location``.
  ///   - environment: the environment variables, which contain or name the credentials.
  /// - Throws: ``S3Unusable``.
  public init(url: String, environment: [String: String]) throws(S3Unusable) {
    do throws(S3Location.Fault) { location = try S3Location(url) } catch {
      throw S3Unusable(description: error.description)
    }
    credentials = S3CredentialSource(environment: environment)
  }

  /// The bucket and the prefix, as ``AssetsPlace`` stores them.
  var place: String { location.place }

  /// The location, as it appears in messages.
  var shown: String { location.shown }

  /// Whether clients download files from S3 and not from the server.
  var presignsDownloads: Bool { location.presignsDownloads }

  /// The file with the credentials, or nil if they come from the environment.
  var credentialsFile: URL? { credentials.file }

  /// - Throws: ``S3Unusable`` if there are no credentials.
  func requireCredentials() throws(S3Unusable) {
    do throws(S3Credentials.Fault) { try credentials.renewed() } catch {
      throw S3Unusable(description: error.description)
    }
  }
}

extension S3Access {
  fileprivate func open(live: Live) -> (S3Client, S3AssetStore) {
    let client = S3Client(
      location: location, credentials: credentials, now: live.ambient.now,
      chance: { live.chance() })
    let store = S3AssetStore(
      client: client, now: live.ambient.now, makeName: live.ambient.makeUUID)
    return (client, store)
  }

  /// Returns the reason of an error, and advice.
  fileprivate static func detail(of error: ServerError) -> String {
    let facts = ["fault", "status", "code", "message"].compactMap { error.facts[$0] }
      .filter { !$0.isEmpty }
    let advice = error.hint.map { "; \($0)" } ?? ""
    return facts.joined(separator: ", ") + advice
  }

  /// Checks whether this machine reaches the bucket, and whether the files belong to this
  /// installation. Nothing is written to the bucket.
  ///
  /// - Parameter installationID: the ID of the installation, or nil if it is not known.
  public func findings(
    installationID: String?, live: Live = Live()
  ) async -> [Finding] {
    do throws(S3Unusable) { try requireCredentials() } catch {
      return [
        .problem(
          "s3-credentials", "there are no credentials for \(shown): \(error)",
          fix: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use ~/.aws/credentials")
      ]
    }
    let (client, store) = open(live: live)
    var findings: [Finding] = []
    do throws(ServerError) {
      try await store.requireAnswer()
      if let installationID, let owner = try await store.ownerMark?.ownerID(),
        owner != installationID
      {
        findings.append(
          .problem(
            "s3-owner",
            "the files in \(shown) belong to the installation \(owner), and this is the "
              + "installation \(installationID)",
            fix: "name another bucket or prefix; if this installation replaces the other one, run "
              + "'stratus assets claim --yes'"))
      }
    } catch {
      findings.append(
        .problem(
          "s3-unreachable", "\(shown) cannot be used: \(Self.detail(of: error))",
          fix: "check the address of --assets, the credentials, and the network"))
    }
    await client.close()
    return findings
  }
}

extension ServerStorage {
  /// Keeps the bytes of assets in S3.
  ///
  /// - Throws: ``S3Unusable`` if there are no credentials, or S3 cannot be used with them.
  mutating func keepAssets(in access: S3Access, live: Live) async throws(S3Unusable) {
    try access.requireCredentials()
    let (client, store) = access.open(live: live)
    do throws(ServerError) { try await store.check() } catch {
      await client.close()
      throw S3Unusable(description: Self.sentence(access.shown, error))
    }
    assets = store
    readinessChecks.append(S3Readiness(store: store))
    let closeEngine = close
    close = {
      await closeEngine()
      await client.close()
    }
  }

  private static func sentence(_ shown: String, _ error: ServerError) -> String {
    "The bytes of assets cannot be in \(shown): \(S3Access.detail(of: error))."
  }
}

/// Checks whether the server reaches S3.
private struct S3Readiness: ReadinessCheck {
  let store: S3AssetStore

  var name: String { "s3" }

  var extent: ReadinessFault.Extent { .files }

  func faults() async -> [ReadinessFault] {
    do throws(ServerError) {
      try await store.requireAnswer()
      return []
    } catch {
      return [
        ReadinessFault(name: "s3-unreachable", reason: "S3 cannot be used", extent: extent)
      ]
    }
  }
}

/// The file of a data folder that names the S3 bucket with the bytes of assets. It prevents a
/// server from looking for the bytes in another place.
struct AssetsPlace {
  static let fileName = "assets-place"

  private let file: URL
  private let data: URL

  init(data: URL) {
    self.data = data
    file = data.appendingPathComponent(Self.fileName)
  }

  /// The place in the file, or nil if the assets are in the folder itself.
  var stored: String? {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Compares a place with the stored one.
  ///
  /// - Throws: ``S3Unusable`` if the folder's assets are in another place.
  func require(_ access: S3Access?) throws(S3Unusable) {
    let place = access?.location.place
    if place == stored { return }
    if let stored {
      throw S3Unusable(
        description: "The assets of \(data.path) are in \(stored): start the server with --assets "
          + "\(stored), or remove the file \(file.path) if they were moved.")
    }
    if let place, hasFiles {
      throw S3Unusable(
        description: "The folder \(data.path) contains the bytes of assets, which are not in "
          + "\(place): start the server without --assets.")
    }
  }

  /// Stores a place, if there is no stored one.
  ///
  /// - Throws: ``S3Unusable``.
  func keep(_ access: S3Access?) throws(S3Unusable) {
    guard stored == nil, let place = access?.place else { return }
    do { try store(place) } catch {
      throw S3Unusable(description: "The file \(file.path) cannot be written: \(error)")
    }
  }

  /// - Throws: Foundation's error.
  func store(_ place: String) throws {
    try OwnerFile.write(Array((place + "\n").utf8), to: file)
  }

  /// Whether a store in the folder has asset files.
  private var hasFiles: Bool {
    let manager = FileManager.default
    for container in (try? manager.contentsOfDirectory(atPath: data.path)) ?? [] {
      for environment in ["development", "production"] {
        let files = data.appendingPathComponent("\(container)/\(environment).assets/files").path
        if (try? manager.contentsOfDirectory(atPath: files))?.isEmpty == false { return true }
      }
    }
    return false
  }
}
