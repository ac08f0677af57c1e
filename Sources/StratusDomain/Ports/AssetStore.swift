/// Stores the bytes of assets: whole files, each under a unique name, and unfinished uploads.
///
/// The asset store knows nothing of records. The asset register decides how long a file is kept.
public protocol AssetStore: Sendable {
  /// Makes download URLs that lead to the storage and not to the server. It is nil if clients
  /// download all files from the server, which is the default.
  var directDownloads: (any DirectDownloads)? { get }

  /// The mark that names the owner of the files, or nil if the storage needs none, which is the
  /// default. A storage needs a mark if two installations could be given the same one.
  var ownerMark: (any AssetOwnerMark)? { get }

  /// Opens an upload to append to it. If the upload is open already, the ``AssetUpload`` of the
  /// earlier call can no longer be used.
  ///
  /// - Parameter fromNothing: whether to discard the bytes received so far.
  /// - Throws: `INTERNAL_ERROR` if the bytes cannot be read, or no space can be reserved for them.
  func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload

  /// Returns the state of an upload. An upload that was never started has no bytes and no note.
  func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus

  /// Stores a few bytes (the note) beside an upload, and replaces an earlier note. The note remains
  /// after the upload ends.
  func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError)

  /// Removes uploads and notes that have not changed since `time` and are not open.
  ///
  /// - Parameter time: milliseconds since 1970 UTC.
  func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError)

  /// Opens a complete file, or returns nil if no file has that name.
  func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)?

  /// Removes a complete file. A missing file is not an error.
  func remove(file: String, at address: StoreAddress) async throws(ServerError)

  /// Lists complete files in the byte order of their names.
  ///
  /// - Parameter name: the name after which the list begins, or nil to begin at the first name.
  func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry]
}

extension AssetStore {
  public var directDownloads: (any DirectDownloads)? { nil }
  public var ownerMark: (any AssetOwnerMark)? { nil }
}

/// A small object beside the files of an asset store, with the ID of the installation to which the
/// files belong. Lists of files do not contain it, and no sweep removes it. See ``AssetOwner``.
public protocol AssetOwnerMark: Sendable {
  /// The place of the files, for the operator.
  var place: String { get }

  /// Returns the ID in the mark, or nil if there is no mark.
  func ownerID() async throws(ServerError) -> String?

  /// Writes the mark. The caller must read it afterwards, because another process may have written
  /// it at the same time.
  ///
  /// - Parameter replaces: whether to replace a mark that exists. Otherwise it stays, if the
  ///   storage supports this condition.
  func write(_ id: String, replaces: Bool) async throws(ServerError)
}

/// Makes URLs by which clients download files from the storage, without the server.
///
/// Everyone with such a URL can download the file until the URL expires. The server cannot revoke
/// the URL.
public protocol DirectDownloads: Sendable {
  /// Returns the URL of a complete file, or nil if clients must download the file from the server.
  /// The same values always give the same URL as long as the server has the same credentials.
  ///
  /// - Parameters:
  ///   - start: the time from which the URL is valid, in milliseconds since 1970 UTC.
  ///   - end: the time until which the URL is valid, in milliseconds since 1970 UTC.
  func downloadURL(
    ofFile file: String, at address: StoreAddress, from start: Int64, until end: Int64
  ) -> String?
}

/// An open upload.
///
/// The methods of an upload must be called one after another. After the same upload has been opened
/// again, the methods of the earlier object throw `CONFLICT`.
public protocol AssetUpload: Sendable {
  /// The number of bytes received.
  var received: Int64 { get }

  /// Appends bytes.
  func append(_ bytes: [UInt8]) async throws(ServerError)

  /// Turns the upload into a complete file. When the method returns, the file is on disk under its
  /// name.
  ///
  /// - Parameter file: a name that was never used before.
  func finish(as file: String) async throws(ServerError) -> WholeFile

  /// Closes the upload for now. The received bytes remain.
  func close() async

  /// Removes the received bytes.
  func discard() async
}

/// The checksum and the size of a finished upload.
public struct WholeFile: Sendable, Hashable {
  /// SHA-256 of the contents.
  public var checksum: [UInt8]
  /// The size of the file in bytes.
  public var size: Int64

  public init(checksum: [UInt8], size: Int64) {
    self.checksum = checksum
    self.size = size
  }
}

/// The progress of an upload.
public struct AssetUploadStatus: Sendable, Hashable {
  /// The number of bytes received.
  public var received: Int64
  /// The time of the last change of the stored bytes or of the note, in milliseconds since 1970
  /// UTC. nil means that neither is stored.
  public var touched: Int64?
  /// The note beside the upload, or nil if there is none.
  public var note: [UInt8]?

  public init(received: Int64, touched: Int64? = nil, note: [UInt8]? = nil) {
    self.received = received
    self.touched = touched
    self.note = note
  }
}

/// A complete file. It stays open for reading as long as this object exists.
public protocol AssetFile: Sendable {
  /// The size of the file in bytes.
  var size: Int64 { get }

  /// Reads bytes at an offset. The result is shorter than `count` only at the end of the file.
  func read(at offset: Int64, count: Int) async throws(ServerError) -> [UInt8]
}

/// A complete file in a list of files.
public struct AssetFileEntry: Sendable, Hashable {
  public var name: String
  /// The time when the file was completed, in milliseconds since 1970 UTC.
  public var finished: Int64

  public init(name: String, finished: Int64) {
    self.name = name
    self.finished = finished
  }
}
